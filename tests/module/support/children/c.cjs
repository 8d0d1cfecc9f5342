throw new Error("c")
