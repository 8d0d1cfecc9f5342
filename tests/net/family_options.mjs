// expected: recorded from node 25.9.0. The command line says whether and how long each address of a name is tried.
import { spawnSync } from "node:child_process";

const text = "const net = require('net'); console.log(net.getDefaultAutoSelectFamily(), net.getDefaultAutoSelectFamilyAttemptTimeout() % 500)";
const show = (...words) => console.log(spawnSync(process.execPath, [...words, "-e", text], { encoding: "utf8" }).stdout.trim());
show();
show("--no-network-family-autoselection");
show("--network-family-autoselection");
show("--network-family-autoselection-attempt-timeout=123");
show("--network-family-autoselection-attempt-timeout=3");
