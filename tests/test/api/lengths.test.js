import { expect, test } from "bun:test";

const values = { buffer: new ArrayBuffer(3), shared: new SharedArrayBuffer(3), view: new Uint8Array(3), blob: new Blob(["abc"]), map: new Map([[1, 2]]), list: [1, 2, 3], data: new DataView(new ArrayBuffer(3)) };
test("toHaveLength", () => {
  for (const [name, value] of Object.entries(values)) {
    try {
      expect(value).toHaveLength(3);
      console.log(name, "has it");
    } catch (error) {
      console.log(name, error.message.split("\n")[0]);
    }
  }
});
