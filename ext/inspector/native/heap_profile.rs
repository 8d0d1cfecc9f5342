//! `--heap-prof`: a profile of the heap by who allocates, written at the end of a thread (backend/sampling.ts).

use std::path::{Path, PathBuf};

use engine::{JsResult, Scope};
use run_options::{NodeOption, RunOptions};
use runtime_core::{RuntimeState, cpu_profile};

use crate::call;

/// The profile of this thread that the options asked for.
#[derive(Default)]
pub(crate) struct Requested(Option<Request>);

struct Request {
    /// The number of the profile.
    profile: f64,
    directory: PathBuf,
    name: Option<String>,
}

fn text<'o>(options: &'o RunOptions, name: &str) -> Option<&'o str> {
    match options.node_option(name) {
        Some(NodeOption::Text(text)) => Some(text),
        _ => None,
    }
}

/// Starts the profile if the options ask for one.
pub(crate) fn start_by_options(scope: &mut Scope<'_>) -> JsResult<()> {
    let state = RuntimeState::of(scope);
    let options = &state.options;
    if options.node_option("--heap-prof").is_none() {
        return Ok(());
    }
    let interval = text(options, "--heap-prof-interval").and_then(|text| text.parse::<f64>().ok()).unwrap_or_default();
    let directory = Path::new(text(options, "--heap-prof-dir").unwrap_or("."));
    // The program may change the working directory.
    let directory = std::path::absolute(directory).unwrap_or_else(|_| directory.into());
    let name = text(options, "--heap-prof-name").map(str::to_owned);
    let started: JsResult<f64> = scope.nested(|scope| {
        let interval = scope.number(interval);
        Ok(call(scope, "startHeapProfile", &[interval])?.as_number().unwrap_or_default())
    });
    let profile = started?;
    state.on_exit.set(Some(crate::finish));
    scope.state().get_or_default::<Requested>().0 = Some(Request { profile, directory, name });
    Ok(())
}

/// Calls a function that nothing ends: a worker that is terminated, or a program that exits, ends all code that is interrupted.
fn uninterrupted<R>(scope: &mut Scope<'_>, f: impl FnOnce(&mut Scope<'_>) -> JsResult<R>) -> JsResult<R> {
    let state = RuntimeState::of(scope);
    let (limits, exit) = (state.limits.take(), state.exit.take());
    let result = scope.nested(f);
    // Those that were added meanwhile come after them.
    let added = state.limits.replace(limits);
    state.limits.borrow_mut().extend(added);
    state.exit.set(exit);
    result
}

/// Writes the profile that the options asked for, at the end of the thread, whatever ends it; once.
pub fn write_last(scope: &mut Scope<'_>) {
    let Some(request) = scope.state().get::<Requested>().and_then(|requested| requested.0.take()) else { return };
    // Also after `process.exit()`.
    scope.clear_terminated();
    let profile = uninterrupted(scope, |scope| {
        let number = scope.number(request.profile);
        let text = call(scope, "stopHeapProfile", &[number])?;
        scope.to_string(text)
    });
    match profile {
        Ok(profile) => {
            let state = RuntimeState::of(scope);
            let name =
                request.name.unwrap_or_else(|| format!("{}.heapprofile", cpu_profile::file_stem("Heap", &state, 1)));
            cpu_profile::write_file(&request.directory, &name, &profile);
        }
        Err(exc) => {
            scope.take_exception(exc);
            base::stderr_line!("error: the profile of the heap could not be made");
        }
    }
}
