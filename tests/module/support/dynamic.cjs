for (const name of ["first", "second"]) exports[name] = () => name;
