//! Completion scripts for shells, made from the tables; names of scripts and binaries are asked for when needed.

use crate::commands::COMMANDS;
use crate::flags::{FLAGS, Group, Takes};
use crate::output::{Failure, Outcome};

/// The script for a shell.
pub fn script(shell: Option<&str>) -> Outcome<String> {
    let from_environment = std::env::var("SHELL").unwrap_or_default();
    let shell = shell.unwrap_or_else(|| from_environment.rsplit('/').next().unwrap_or_default());
    match shell {
        "bash" => Ok(bash()),
        "zsh" => Ok(zsh()),
        "fish" => Ok(fish()),
        "" => Err(Failure::new("which shell? $SHELL is not set").hint("try: bao completions bash")),
        other => {
            Err(Failure::new(format!("no completions for \"{other}\"")).hint("there are some for bash, zsh and fish"))
        }
    }
}

fn commands() -> impl Iterator<Item = (&'static str, &'static str)> {
    COMMANDS.iter().filter(|command| !command.help.is_empty()).map(|command| (command.name, command.help))
}

fn options() -> impl Iterator<Item = &'static crate::flags::Flag> {
    FLAGS.iter().filter(|flag| flag.group != Group::Hidden)
}

fn bash() -> String {
    let names: Vec<&str> = commands().map(|(name, _)| name).collect();
    let flags: Vec<&str> = options().map(|flag| flag.long).collect();
    let valued: Vec<&str> =
        options().filter(|flag| matches!(flag.takes, Takes::Value(_))).map(|flag| flag.long).collect();
    format!(
        r#"# bao completions for bash
_bao() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" word target=
  local commands="{commands}"
  local options="{flags}"
  local valued=" {valued} "
  local i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${{COMP_WORDS[i]}}"
    case "$word" in
      -*) if [[ "$valued" == *" $word "* ]]; then ((i++)); fi ;;
      run) ;;
      *) target="$word"; break ;;
    esac
  done
  COMPREPLY=()
  if [[ -n "$target" || "$valued" == *" $prev "* ]]; then
    COMPREPLY=($(compgen -f -- "$cur"))
  elif [[ "$prev" == completions ]]; then
    COMPREPLY=($(compgen -W "bash zsh fish" -- "$cur"))
  elif [[ "$cur" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  else
    local IFS=$'\n'
    COMPREPLY=($(compgen -W "$(bao getcompletes scripts 2>/dev/null; bao getcompletes bins 2>/dev/null)" -- "$cur") $(compgen -f -- "$cur"))
    if [[ $COMP_CWORD -eq 1 ]]; then IFS=' '; COMPREPLY+=($(compgen -W "$commands" -- "$cur")); fi
  fi
}}
complete -o filenames -F _bao bao
"#,
        commands = names.join(" "),
        flags = flags.join(" "),
        valued = valued.join(" "),
    )
}

/// Text within single quotes of a shell.
fn single(text: &str) -> String {
    text.replace('\'', "'\\''")
}

fn zsh() -> String {
    let escape = |text: &str| single(text).replace('[', "\\[").replace(']', "\\]").replace(':', "\\:");
    let mut text = String::from("#compdef bao\n_bao() {\n  local -a commands scripts options\n  commands=(\n");
    for (name, help) in commands() {
        text.push_str(&format!("    '{name}:{}'\n", escape(help)));
    }
    text.push_str("  )\n  options=(\n");
    for flag in options() {
        let value = match flag.takes {
            Takes::Nothing => String::new(),
            Takes::Value(what) | Takes::Optional(what) => format!(":{}:_files", escape(what)),
        };
        let equals = if flag.takes == Takes::Nothing { "" } else { "=" };
        text.push_str(&format!("    '{}{equals}[{}]{value}'\n", flag.long, escape(flag.help)));
        if let Some(letter) = flag.short {
            text.push_str(&format!("    '-{letter}[{}]{value}'\n", escape(flag.help)));
        }
    }
    text.push_str(
        r#"  )
  _bao_targets() {
    scripts=(${(f)"$(bao getcompletes scripts 2>/dev/null)"} ${(f)"$(bao getcompletes bins 2>/dev/null)"})
    (( CURRENT == 2 )) && _describe -t commands command commands
    (( $#scripts )) && compadd -a scripts
    _files
  }
  _arguments -S $options '1:command, script or file:_bao_targets' '*::argument:_files'
}
_bao "$@"
"#,
    );
    text
}

fn fish() -> String {
    let mut text = String::from("# bao completions for fish\n");
    for (name, help) in commands() {
        text.push_str(&format!("complete -c bao -n __fish_use_subcommand -a {name} -d '{}'\n", single(help)));
    }
    text.push_str("complete -c bao -n '__fish_use_subcommand; or __fish_seen_subcommand_from run' -a '(bao getcompletes scripts 2>/dev/null)' -d script\n");
    text.push_str("complete -c bao -n '__fish_seen_subcommand_from completions' -f -a 'bash zsh fish'\n");
    for flag in options() {
        let letter = flag.short.map_or(String::new(), |letter| format!(" -s {letter}"));
        let value = if flag.takes == Takes::Nothing { "" } else { " -r" };
        text.push_str(&format!("complete -c bao -l {}{letter}{value} -d '{}'\n", &flag.long[2..], single(flag.help)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_accept_them() {
        for shell in ["bash", "zsh", "fish"] {
            let text = script(Some(shell)).expect("known");
            assert!(text.contains("--watch") || text.contains("-l watch"));
            let flag = if shell == "fish" { "--no-execute" } else { "-n" };
            let Ok(child) = std::process::Command::new(shell)
                .args([flag, "/dev/stdin"])
                .stdin(std::process::Stdio::piped())
                .spawn()
            else {
                continue;
            };
            let mut child = child;
            std::io::Write::write_all(&mut child.stdin.take().expect("piped"), text.as_bytes()).expect("written");
            assert!(child.wait().expect("ran").success(), "{shell}");
        }
        assert!(script(Some("tcsh")).is_err());
    }
}
