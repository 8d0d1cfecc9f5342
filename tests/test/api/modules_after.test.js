// Runs after modules.test.js, whose last mock is gone.
import { test } from "bun:test";
import { greet } from "./a.mjs";
import { all } from "./user.mjs";

test("nothing leaks", () => console.log(greet("after"), all()[0]));
