//! The requests of `publish`, with one-time passwords by the browser or typed; `pm whoami`.

use json::Value;

use super::{Ready, Settings};
use crate::config::{Config, Options, Registry};
use crate::error::{Code, Error, Result};
use crate::net::url::Url;
use crate::net::{Request, Response};
use crate::registry::session::Session;
use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// How sending a package ended.
pub(crate) enum Upload {
    Done,
    /// The registry has this version, and `--tolerate-republish` was given.
    Exists,
}

/// How long the registry is asked whether the login in the browser is done.
const PATIENCE: Duration = Duration::from_secs(600);

fn send(request: Request, config: &Config) -> Result<Response> {
    Session::new(config, Path::new(".")).send(request)
}

fn request(method: &'static str, url: String, registry: &Registry, package: &str, config: &Config) -> Request {
    let mut request = Request::get(url);
    request.method = method;
    request.package = package.to_owned();
    request.authorization = registry.authorization.clone();
    request.headers.push(("accept", "*/*".to_owned()));
    request.headers.push(("accept-encoding", "gzip".to_owned()));
    request.headers.push(("user-agent", config.net.user_agent.clone()));
    request
}

fn package_url(registry: &Registry, name: &str) -> String {
    format!("{}{}", registry.url, name.replace('/', "%2f"))
}

/// Whether a registry has a version.
///
/// # Errors
/// It answers neither with the package nor with 404.
pub(crate) fn has(name: &str, version: &str, registry: &Registry, config: &Config) -> Result<bool> {
    let request = request("GET", package_url(registry, name), registry, name, config);
    let response = send(request, config)?;
    match response.status {
        404 => Ok(false),
        200 => Value::parse(&response.body)
            .map(|value| value.get("versions").and_then(|versions| versions.get(version)).is_some())
            .map_err(|_| Error::new(Code::Parse, format!("the manifest of {name} is not JSON")).url(&response.url)),
        _ => Err(failed("GET", &response, name)),
    }
}

pub(crate) fn exists(ready: &Ready, config: &Config) -> Result<bool> {
    has(&ready.name, &ready.version, &ready.registry, config)
}

/// The reason that a registry gives.
fn reason(body: &[u8]) -> Option<String> {
    let value = Value::parse(body).ok()?;
    let text = ["error", "reason", "message"].into_iter().map(|key| value.text(key)).find(|text| !text.is_empty())?;
    Some(text.chars().take(500).collect())
}

fn status_text(status: u16) -> &'static str {
    match status {
        400 => " Bad Request",
        401 => " Unauthorized",
        402 => " Payment Required",
        403 => " Forbidden",
        404 => " Not Found",
        409 => " Conflict",
        413 => " Payload Too Large",
        422 => " Unprocessable Entity",
        429 => " Too Many Requests",
        500 => " Internal Server Error",
        502 => " Bad Gateway",
        503 => " Service Unavailable",
        _ => "",
    }
}

fn failed(method: &str, response: &Response, package: &str) -> Error {
    let mut error = Error::new(
        Code::Status,
        format!("{method} {} - {}{}", response.url, response.status, status_text(response.status)),
    )
    .package(package, "");
    if let Some(reason) = reason(&response.body) {
        error = error.cause(reason);
    }
    match response.status {
        401 => error.hint("log in (`bao x npm login`), or correct the token of this registry in .npmrc"),
        402 => error.hint("a scoped package is private unless it is published with --access public"),
        403 => error
            .hint("raise the version (`bao pm version patch`), or ask the package's owners for the right to publish"),
        404 => error
            .hint("registries answer so to somebody who may not publish this package: check the login and the name"),
        413 => error
            .hint("`bao pm pack --dry-run` lists what is in the tarball; `files` in package.json leaves things out"),
        500.. => error.hint("look whether the version is there before trying again (`bao info`)"),
        _ => error,
    }
}

/// Sends the document; asks for a one-time password where the registry wants one.
pub(crate) fn put(ready: &Ready, body: Vec<u8>, settings: &mut Settings, config: &Config) -> Result<Upload> {
    let mut config = config.clone();
    // Sending it twice would be an error of the second time.
    config.net.retries = 0;
    let make = |otp: Option<&str>, web: bool, body: Vec<u8>| {
        let label = format!("{}@{}", ready.name, ready.version);
        let mut request = request("PUT", package_url(&ready.registry, &ready.name), &ready.registry, &label, &config);
        request.headers.push(("content-type", "application/json".to_owned()));
        request.headers.push(("npm-auth-type", if web { "web" } else { "legacy" }.to_owned()));
        request.headers.push(("npm-command", "publish".to_owned()));
        if let Some((scope, _)) = ready.name.split_once('/') {
            request.headers.push(("npm-scope", scope.to_owned()));
        }
        if let Some(otp) = otp {
            request.headers.push(("npm-otp", otp.to_owned()));
        }
        request.body = body;
        request
    };
    let response = send(make(settings.otp.as_deref(), settings.web, body.clone()), &config)?;
    notice(&response);
    let response = if response.status == 401 && wants_otp(&response) {
        if settings.otp.is_some() {
            return Err(failed("PUT", &response, &ready.name).hint("the one-time password was not accepted"));
        }
        let otp = one_time_password(&response, ready, settings.web, &config)?;
        // A typed one serves the other packages of this run; the browser's is for this one.
        let response = send(make(Some(&otp), false, body), &config)?;
        notice(&response);
        response
    } else {
        response
    };
    if (200..300).contains(&response.status) {
        return Ok(Upload::Done);
    }
    let repeated = matches!(response.status, 403 | 409)
        && reason(&response.body).is_some_and(|text| text.to_ascii_lowercase().contains("previously published"));
    if repeated && settings.tolerate {
        return Ok(Upload::Exists);
    }
    Err(failed("PUT", &response, &ready.name))
}

fn notice(response: &Response) {
    if !response.notice.is_empty() {
        base::stderr_line!("\nnote: {}", response.notice);
    }
}

fn wants_otp(response: &Response) -> bool {
    let asks = response.authenticate.to_ascii_lowercase();
    asks.split([',', ' ']).any(|word| word.trim() == "otp")
        || String::from_utf8_lossy(&response.body).to_ascii_lowercase().contains("one-time pass")
}

fn one_time_password(response: &Response, ready: &Ready, web: bool, config: &Config) -> Result<String> {
    if web && let Ok(value) = Value::parse(&response.body) {
        let (page, done) = (value.text("authUrl"), value.text("doneUrl"));
        if Url::parse(page).is_some() && Url::parse(done).is_some() {
            return by_browser(page, done, ready, config);
        }
    }
    println!("\nThis operation requires a one-time password.");
    print!("Enter OTP: ");
    let _ = std::io::stdout().flush();
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    let otp = line.trim();
    if read.is_err() || otp.is_empty() {
        println!();
        return Err(Error::new(Code::Usage, "no one-time password was given").hint("pass it with --otp"));
    }
    Ok(otp.to_owned())
}

/// Shows the address of the login page and asks the registry until somebody has been there.
fn by_browser(page: &str, done: &str, ready: &Ready, config: &Config) -> Result<String> {
    let terminal = std::io::stdin().is_terminal();
    let line = "-".repeat(page.chars().count() + 2);
    let key = if terminal { " (press ENTER to open in browser)" } else { "" };
    crate::say!("\nAuthenticate your account at{key}:\n|{line}|\n| {page} |\n|{line}|");
    if terminal {
        let page = page.to_owned();
        // Nobody waits for this thread: it ends with the process.
        std::thread::spawn(move || {
            let mut line = String::new();
            if std::io::stdin().lock().read_line(&mut line).is_ok_and(|length| length > 0) {
                let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
                let quiet = std::process::Stdio::null;
                let _ = std::process::Command::new(opener).arg(page).stdout(quiet()).stderr(quiet()).status();
            }
        });
    }
    let same = match (Url::parse(done), Url::parse(&ready.registry.url)) {
        (Some(there), Some(here)) => there.same_origin(&here),
        _ => false,
    };
    let start = Instant::now();
    loop {
        let mut request = request("GET", done.to_owned(), &ready.registry, &ready.name, config);
        // Credentials are for the registry only.
        if !same {
            request.authorization = None;
        }
        request.headers.push(("npm-auth-type", "web".to_owned()));
        request.headers.push(("npm-command", "publish".to_owned()));
        let response = send(request, config)?;
        match response.status {
            200 => {
                let token =
                    Value::parse(&response.body).map(|value| value.text("token").to_owned()).unwrap_or_default();
                if token.is_empty() {
                    return Err(Error::new(Code::Parse, "the registry's answer has no token").url(done));
                }
                return Ok(token);
            }
            202 if start.elapsed() < PATIENCE => {
                let pause = response.retry_after.parse::<u64>().map_or(500, |seconds| seconds.clamp(0, 30) * 1000);
                std::thread::sleep(Duration::from_millis(pause.max(100)));
            }
            202 => {
                return Err(Error::new(Code::Network, "nobody logged in within 10 minutes")
                    .url(page)
                    .hint("run it again, or pass --otp"));
            }
            _ => return Err(failed("GET", &response, &ready.name)),
        }
    }
}

/// `pm whoami`.
pub(crate) fn whoami(options: &Options) -> Result<u8> {
    let (_, _, config) = crate::commands::context(options)?;
    let registry = &config.registry;
    if registry.authorization.is_none() {
        return Err(Error::new(Code::Usage, crate::ui::named("missing authentication (run `bao x npm login`)"))
            .url(&registry.url));
    }
    let response = send(request("GET", format!("{}-/whoami", registry.url), registry, "", &config), &config)?;
    match response.status {
        200 => {
            let name = Value::parse(&response.body).map(|value| value.text("username").to_owned()).unwrap_or_default();
            if name.is_empty() {
                return Err(Error::new(Code::Parse, "the registry's answer has no username").url(&response.url));
            }
            crate::say!("{name}");
            Ok(0)
        }
        401 | 403 => Err(Error::new(Code::Status, "failed to authenticate with the registry")
            .url(&registry.url)
            .hint("log in (`bao x npm login`), or correct the token of this registry in .npmrc")),
        _ => Err(failed("GET", &response, "")),
    }
}
