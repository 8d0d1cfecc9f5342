import yargs from "yargs";
import parser from "yargs-parser";
console.log(
  parser(["--foo=1", "-abc", "--no-x", "--y.z", "3", "rest", "--", "more"], {
    array: ["l"],
    configuration: { "populate--": true },
  }),
);
const make = (args) =>
  yargs(args)
    .scriptName("tool")
    .exitProcess(false)
    .wrap(80)
    .locale("en")
    .command(
      "serve [port]",
      "start the server",
      (y) => y.positional("port", { describe: "port", default: 5000, type: "number" }),
      (a) => console.log("serving", a.port, a.verbose),
    )
    .command(
      "get <url> [more..]",
      "fetch",
      () => {},
      async (a) => {
        await null;
        console.log("got", a.url, a.more);
      },
    )
    .option("verbose", { alias: "v", type: "boolean", description: "chatty" })
    .option("size", { choices: ["s", "m"] })
    .demandCommand(1, "need a command")
    .strict()
    .help()
    .version("9.9.9")
    .epilogue("the end");
for (const args of [
  ["serve", "8080", "-v"],
  ["get", "http://x", "1", "2"],
  ["serve", "--size", "s"],
]) {
  const argv = await make(args).parseAsync();
  console.log(argv._, argv.size);
}
for (const args of [["--help"], [], ["serve", "--nope"], ["serve", "--size", "xl"], ["get"]]) {
  await make(args).parse(args, (error, argv, output) => console.log(error?.name, error?.message, "|", output));
}
