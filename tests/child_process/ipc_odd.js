// IPC with children that do not behave: one that closes the channel, one that floods, one that sends half a message. Recorded from Node 25.8.1.
const { fork, spawn } = require("node:child_process");
const { once } = require("node:events");

if (process.argv[2] === "child") {
  switch (process.argv[3]) {
    case "closes":
      process.send("before");
      process.disconnect();
      break;
    case "floods":
      for (let i = 0; i < 20000; i++) process.send({ i, text: "x".repeat(50) }, () => i === 19999 && process.disconnect());
      break;
    case "half":
      process.send("whole");
      // The rest of the line never comes.
      process.channel.unref?.();
      require("node:fs").writeSync(Number(process.argv[4]), '{"half":');
      process.exit(0);
      break;
  }
} else {
  (async () => {
    {
      const child = fork(__filename, ["child", "closes"]);
      const messages = [];
      child.on("message", (message) => messages.push(message));
      await once(child, "disconnect");
      console.log("closes", messages.join(), child.connected);
      child.send("to nobody", (error) => console.log(error.code));
      child.on("error", (error) => console.log("error", error.code));
      if (child.exitCode === null) await once(child, "exit");
    }
    {
      const child = fork(__filename, ["child", "floods"]);
      let next = 0;
      let wrong = 0;
      child.on("message", ({ i, text }) => (wrong += i !== next++ || text.length !== 50));
      await once(child, "disconnect");
      console.log("floods", next, wrong);
    }
    {
      const child = spawn(process.execPath, [__filename, "child", "half", "3"], { stdio: ["inherit", "inherit", "inherit", "ipc"] });
      const messages = [];
      child.on("message", (message) => messages.push(message));
      const [code] = await once(child, "exit");
      console.log("half", JSON.stringify(messages), code);
    }
  })();
}
