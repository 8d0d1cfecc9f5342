import chalk, { Chalk, supportsColor } from "chalk";
const c = new Chalk({ level: 3 });
const show = (s) => console.log(JSON.stringify(s));
show(c.red("r") + c.bold.underline.bgBlue("b") + c.hex("#deaded")("h") + c.bgRgb(1, 2, 3)("g"));
show(c.red(`a ${c.blue("b")} c\nnext`));
show(new Chalk({ level: 1 }).rgb(255, 136, 0)("orange") + new Chalk({ level: 2 }).hex("#f80")("256"));
show(c.visible("v") + new Chalk({ level: 0 }).visible("none") + c.reset.inverse("i") + c.bold`tag`);
show(chalk.red("off in tests"));
console.log(chalk.level, supportsColor);
