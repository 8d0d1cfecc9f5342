//! `--filter`, `--workspaces`, `--parallel`, `--sequential`.

use super::*;
use crate::script_runner::{self, Style, Task};
use crate::steps;
use crate::workspaces;

impl Call<'_> {
    /// Runs scripts in several packages, or several scripts of one; gives the exit code.
    pub(super) fn run_several(&self, names: &[String], args: &[String]) -> Outcome<i32> {
        let executable = executable()?;
        let cwd = current_dir()?;
        let options = &self.options;
        let mut session = Session::new(self.identity, &executable, cwd.clone(), options.bun || self.bunfig.run.bun)?;
        session.bun_shell = options.bun_shell.unwrap_or(self.bunfig.run.bun_shell);
        let silent = options.silent || self.bunfig.run.silent;
        let style = if options.parallel || options.sequential {
            Style::Group { sequential: !options.parallel, keep_going: options.no_exit_on_error }
        } else {
            Style::Packages { elide: options.elide_lines.or(self.bunfig.run.elide_lines).unwrap_or(0) }
        };
        if !options.across() {
            let found = manifest::nearest(&cwd)?;
            let package = match &found {
                Some(found) => found.parse()?,
                None => Manifest { dir: cwd, ..Manifest::default() },
            };
            let tasks = self.in_one(&session, &package, names, args)?;
            return script_runner::run(&session, &tasks, style, silent);
        }
        let workspace = workspaces::load(&cwd)?;
        if options.workspaces && workspace.root.workspaces.is_none() {
            return Err(Failure::new(format!("no \"workspaces\" in {}", workspace.root.path().display())));
        }
        let chosen = workspace.choose(&options.filters, &cwd)?;
        let mut tasks: Vec<Task<'_>> = Vec::new();
        // Tasks of each chosen package.
        let mut of_package: Vec<Vec<usize>> = Vec::new();
        for item in &chosen {
            let mut own = Vec::new();
            for name in names {
                let scripts = steps::names(item.package, name);
                if scripts.is_empty() && options.workspaces && !options.if_present {
                    return Err(Failure::new(format!("Missing \"{name}\" script at '{}'", item.package.dir.display()))
                        .hint("--if-present leaves out packages without it"));
                }
                for script in scripts {
                    let Some(steps) = steps::steps(&session, item.package, script, args) else { continue };
                    let (label, after) = match style {
                        // Side by side is what --parallel means; one after another they are in order anyway.
                        Style::Group { .. } => (format!("{}:{script}", item.label), Vec::new()),
                        Style::Packages { .. } => {
                            (item.label.clone(), item.after.iter().flat_map(|at| of_package[*at].clone()).collect())
                        }
                    };
                    own.push(tasks.len());
                    tasks.push(Task { label, steps, after });
                }
            }
            of_package.push(own);
        }
        if tasks.is_empty() {
            return if options.if_present { Ok(0) } else { Err(self.no_script(names, &chosen)) };
        }
        script_runner::run(&session, &tasks, style, silent)
    }

    fn in_one<'a>(
        &self,
        session: &Session<'_>,
        package: &'a Manifest,
        names: &'a [String],
        args: &[String],
    ) -> Outcome<Vec<Task<'a>>> {
        let mut list = Vec::new();
        for name in names {
            let scripts = steps::names(package, name);
            for script in &scripts {
                let steps = steps::steps(session, package, script, args).unwrap_or_default();
                list.push(Task { label: (*script).to_string(), steps, after: Vec::new() });
            }
            if !scripts.is_empty() {
                continue;
            }
            // `--parallel dev "tsc --watch"`: a command line, a file or a program is as good as a script.
            let path = std::env::var_os("PATH");
            let file = find::is_file_like(name).then(|| find::program(name)).flatten();
            let is_command = name.contains(char::is_whitespace)
                || find::package_binary(&package.dir, name).is_some()
                || find::on_path(path.as_deref(), name).is_some();
            if file.is_some() || is_command {
                let step = steps::command_line(session, package, name, file.is_some(), args);
                list.push(Task { label: name.clone(), steps: vec![step], after: Vec::new() });
            } else if !self.options.if_present && name.contains('*') {
                return Err(Failure::new(format!("No scripts match pattern \"{name}\"")));
            } else if !self.options.if_present {
                let failure = Failure::new(format!("Script not found \"{name}\""));
                let scripts = package.scripts.iter().map(|(name, _)| name.as_str());
                return Err(match suggest::nearest(name, scripts) {
                    Some(near) => failure.hint(format!("did you mean the script \"{near}\"?")),
                    None => failure,
                });
            }
        }
        Ok(list)
    }

    fn no_script(&self, names: &[String], chosen: &[workspaces::Chosen<'_>]) -> Failure {
        let quoted = |list: &[String]| list.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        let place = match chosen {
            [one] => format!("package \"{}\"", one.label),
            _ if self.options.filters.is_empty() => format!("{} packages", chosen.len()),
            _ => format!("{} packages matching {}", chosen.len(), quoted(&self.options.filters)),
        };
        let failure = Failure::new(format!("Script {} not found in {place}", quoted(names)));
        let scripts = chosen.iter().flat_map(|item| &item.package.scripts).map(|(name, _)| name.as_str());
        match names.first().and_then(|name| suggest::nearest(name, scripts)) {
            Some(near) => failure.hint(format!("did you mean \"{near}\"?")),
            None => failure,
        }
    }
}
