import { Command, Option, InvalidArgumentError } from "commander";
const run = (...args) => {
  const program = new Command("tool")
    .version("1.2.3")
    .description("does things")
    .exitOverride()
    .configureOutput({ writeErr: (s) => process.stdout.write("E " + s) });
  program
    .command("clone <source> [dest]")
    .description("clone a repo")
    .option(
      "-d, --depth <n>",
      "how deep",
      (v) => {
        if (isNaN(v)) throw new InvalidArgumentError("not a number");
        return Number(v);
      },
      3,
    )
    .addOption(new Option("-m, --mode <mode>", "mode").choices(["fast", "slow"]).env("TOOL_MODE"))
    .option("--no-color", "plain")
    .option("-v, --verbose", "more", (_, n) => n + 1, 0)
    .action((source, dest, options) => console.log("clone", source, dest, options));
  program.command("sum <n...>").action((list) =>
    console.log(
      "sum",
      list.reduce((a, b) => a + Number(b), 0),
    ),
  );
  try {
    program.parse(args, { from: "user" });
  } catch (error) {
    console.log(error.code, error.exitCode, error.name);
  }
};
run("clone", "a", "-d", "5", "--mode=fast", "-vvv", "--no-color");
run("sum", "1", "2", "39");
run("clone", "a", "--depth", "x");
run("clone", "a", "--mode", "odd");
run("clone");
run("clnoe");
run("clone", "x", "--dpeth", "1");
run("--help");
run("help", "clone");
run("--version");
