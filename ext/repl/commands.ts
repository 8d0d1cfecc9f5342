/** The commands of a REPL, `.help` and its siblings: https://nodejs.org/api/repl.html#commands-and-special-keys */
import type { REPLServer } from "internal/repl/server";
import { codes } from "internal/core/errors";

function enterEditor(repl: REPLServer): void {
  repl.editorMode = true;
  repl._showPrompt("");
}

/** Gives a REPL its commands. */
export function defineCommands(repl: REPLServer): void {
  repl.defineCommand("break", {
    help: "Sometimes you get stuck, this gets you out",
    action() {
      this.clearBufferedCommand();
      this.displayPrompt();
    },
  });
  repl.defineCommand("clear", {
    help: repl.useGlobal ? "Alias for .break" : "Break, and also clear the local context",
    action() {
      this.clearBufferedCommand();
      if (!this.useGlobal) {
        this.output!.write("Clearing context...\n");
        this.resetContext();
      }
      this.displayPrompt();
    },
  });
  repl.defineCommand("exit", {
    help: "Exit the REPL",
    action() {
      this.close();
    },
  });
  repl.defineCommand("help", {
    help: "Print this help message",
    action() {
      const names = Object.keys(this.commands).sort();
      const width = Math.max(...names.map((name) => name.length)) + 3;
      for (const name of names) {
        const { help } = this.commands[name]!;
        this.output!.write(`.${help ? name.padEnd(width) + help : name}\n`);
      }
      this.output!.write("\nPress Ctrl+C to abort current expression, Ctrl+D to exit the REPL\n");
      this.displayPrompt();
    },
  });
  repl.defineCommand("save", {
    help: "Save all evaluated commands in this REPL session to a file",
    action(file: string) {
      if (file === "") {
        this.output!.write(`${new codes.ERR_MISSING_ARGS("file").message}\n`);
      } else {
        try {
          require("node:fs").writeFileSync(file, this.lines.join("\n"));
          this.output!.write(`Session saved to: ${file}\n`);
        } catch {
          this.output!.write(`Failed to save: ${file}\n`);
        }
      }
      this.displayPrompt();
    },
  });
  repl.defineCommand("load", {
    help: "Load JS from a file into the REPL session",
    action(file: string) {
      if (file === "") {
        this.output!.write(`${new codes.ERR_MISSING_ARGS("file").message}\n`);
        this.displayPrompt();
        return;
      }
      const fs = require("node:fs");
      try {
        if (fs.statSync(file).isFile()) {
          const text = fs.readFileSync(file, "utf8");
          enterEditor(this);
          this._loading = true;
          this.write(text);
          this._loading = false;
          this.editorMode = false;
          this.setPrompt(this._initialPrompt);
          this.write("\n");
        } else {
          this.output!.write(`Failed to load: ${file} is not a valid file\n`);
        }
      } catch {
        this.output!.write(`Failed to load: ${file}\n`);
      }
      this.displayPrompt();
    },
  });
  if (repl.terminal) {
    repl.defineCommand("editor", {
      help: "Enter editor mode",
      action() {
        enterEditor(this);
        this.output!.write("// Entering editor mode (Ctrl+D to finish, Ctrl+C to cancel)\n");
      },
    });
  }
  if (repl._session) defineSessionCommands(repl);
}

/** The commands that `bao repl` has besides. */
function defineSessionCommands(repl: REPLServer): void {
  repl.defineCommand("history", {
    help: "Show the history of this and former sessions",
    action() {
      const { history } = this;
      const width = String(history.length).length;
      for (let i = history.length - 1; i >= 0; i--) {
        const entry = history[i]
          .split("\r")
          .reverse()
          .join(`\n${" ".repeat(width + 2)}`);
        this.output!.write(`${String(history.length - i).padStart(width)}  ${entry}\n`);
      }
      this.displayPrompt();
    },
  });
  repl.defineCommand("copy", {
    help: "Copy the last result, or the value of an expression, to the clipboard",
    action(expression: string) {
      const copy = (value: unknown) => {
        const { inspect } = require("internal/util/inspect");
        const text = typeof value === "string" ? value : inspect(value, { depth: Infinity, maxArrayLength: Infinity });
        this.output!.write(toClipboard(this, text));
        this.displayPrompt();
      };
      if (expression === "") return copy(this.last);
      const { nextResourceName } = require("internal/repl/utils");
      this.eval(`${expression}\n`, this.context, nextResourceName(), (error, value) => {
        if (error) this._domain.emit("error", (error as { err?: unknown }).err || error);
        else copy(value);
      });
    },
  });
}

/** Copies with the desktop's program, or else by asking the terminal (OSC 52). Gives what to tell the user. */
function toClipboard(repl: REPLServer, text: string): string {
  const { spawnSync } = require("node:child_process");
  const programs =
    process.platform === "darwin"
      ? [["pbcopy"]]
      : [
          ...(process.env.WAYLAND_DISPLAY ? [["wl-copy"]] : []),
          ...(process.env.DISPLAY
            ? [
                ["xclip", "-selection", "clipboard"],
                ["xsel", "--clipboard", "--input"],
              ]
            : []),
        ];
  for (const [program, ...args] of programs) {
    const { status, error } = spawnSync(program, args, { input: text, stdio: ["pipe", "ignore", "ignore"] });
    if (!error && status === 0) return `Copied ${text.length} characters to clipboard\n`;
  }
  if (!repl.terminal) return "No clipboard here\n";
  repl.output!.write(`\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`);
  return `Asked the terminal to copy ${text.length} characters\n`;
}
