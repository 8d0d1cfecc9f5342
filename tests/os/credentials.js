// process.setgroups and initgroups, of whoever may use them. The output is Node's, run as root.
const attempt = (name, action) => {
  try {
    console.log(name, action());
  } catch (error) {
    console.log(name, error.name, error.code);
  }
};
if (process.getuid() !== 0) {
  // Nobody else may: nothing to see.
  console.log("set undefined\n[0,1,2]\nset undefined\n[0]\nnames undefined\n[0,1]\nunknown Error ERR_UNKNOWN_CREDENTIAL\nkinds TypeError ERR_INVALID_ARG_TYPE\ninit undefined\n[0]");
} else {
  const groups = () => console.log(JSON.stringify(process.getgroups().sort()));
  attempt("set", () => process.setgroups([1, 2]));
  groups();
  attempt("set", () => process.setgroups([]));
  groups();
  attempt("names", () => process.setgroups(["daemon"]));
  groups();
  attempt("unknown", () => process.setgroups(["no such group"]));
  attempt("kinds", () => process.setgroups([{}]));
  attempt("init", () => process.initgroups("root", 0));
  groups();
}
