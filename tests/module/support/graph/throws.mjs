throw Object.assign(new Error("thrown"), { code: "OWN" });
