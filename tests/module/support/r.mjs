import fs from "fs"; console.log(typeof require, __filename, require("./dep.cjs"))
