"""The package managers and how each is told what to do."""

import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from compare import find

# What would change a tool's behaviour stays out: settings of the person who runs this, and proxies between us and loopback.
DROPPED = ("npm_", "NPM_", "BUN_", "PNPM_", "YARN_", "NODE_OPTIONS", "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")


class Tool:
    """An executable with its lockfile and the arguments of each case. Scripts are switched off everywhere."""

    def __init__(self, name, path, lockfile, linkers):
        self.name = name
        self.path = path
        self.lockfile = lockfile
        self.linkers = linkers

    def version(self):
        argument = "pm" if self.name == "none" else "--version"
        try:
            done = subprocess.run([self.path, argument], capture_output=True, text=True, timeout=30)
            lines = done.stdout.strip().splitlines()
            return lines[0] if done.returncode == 0 and lines else ""
        except (OSError, subprocess.TimeoutExpired):
            return ""

    def environment(self, home, origin, linker):
        """Own home, cache and registry, so that no tool meets the files of another one."""
        env = {key: value for key, value in os.environ.items() if not key.startswith(DROPPED)}
        cache = str(home / "cache")
        env.update(
            HOME=str(home),
            XDG_CONFIG_HOME=str(home / "config"),
            XDG_CACHE_HOME=cache,
            XDG_DATA_HOME=str(home / "data"),
            CI="1",
            NO_COLOR="1",
            BUN_INSTALL=str(home / "bun"),
            BUN_INSTALL_CACHE_DIR=cache,
            BUN_CONFIG_REGISTRY=origin + "/",
            npm_config_registry=origin + "/",
            npm_config_cache=cache,
            npm_config_update_notifier="false",
            npm_config_audit="false",
            npm_config_fund="false",
            npm_config_store_dir=str(home / "store"),
            npm_config_strict_peer_dependencies="false",
            npm_config_manage_package_manager_versions="false",
            YARN_REGISTRY=origin + "/",
            YARN_CACHE_FOLDER=cache,
        )
        if linker == "global store":
            env["BUN_INSTALL_GLOBAL_STORE"] = "1"
        else:
            env["BUN_INSTALL_GLOBAL_STORE"] = "0"
        for name in ("NODE_EXTRA_CA_CERTS",):
            env.pop(name, None)
        return env

    def is_apart(self, linker):
        """Whether a linker is another one than the tool's others, and not what it has for it."""
        return linker != "store" or self.name == "bao"

    def prepare_project(self, folder):
        """What the tool needs in the project besides package.json."""

    def arguments(self, case, linker, package):
        raise NotImplementedError

    def argv(self, case, linker, package):
        return [self.path, *self.arguments(case, linker, package)]


class Bun(Tool):
    """Bun, and bao, which takes the same arguments."""

    def arguments(self, case, linker, package):
        # bao's linker of archives beside what Bun does best by default.
        layout = {"hoisted": "hoisted", "store": "store" if self.name == "bao" else "hoisted"}.get(linker, "isolated")
        words = ["--ignore-scripts", "--no-progress", f"--linker={layout}"]
        if case == "lockfile only":
            return ["install", "--lockfile-only", *words]
        if case == "add one":
            return ["add", package, *words]
        return ["install", *words]


class Npm(Tool):
    def arguments(self, case, linker, package):
        words = ["--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps", "--loglevel=error"]
        if case == "lockfile only":
            return ["install", "--package-lock-only", *words]
        if case == "add one":
            return ["install", package, *words]
        return ["install", *words]


class Pnpm(Tool):
    def arguments(self, case, linker, package):
        words = ["--ignore-scripts", f"--config.node-linker={'hoisted' if linker == 'hoisted' else 'isolated'}", "--reporter=silent"]
        words.append("--config.enable-global-virtual-store=" + ("true" if linker in ("global store", "store") else "false"))
        if case == "lockfile only":
            return ["install", "--lockfile-only", *words]
        if case == "add one":
            return ["add", package, "--workspace-root" if pathlib.Path("pnpm-workspace.yaml").exists() else "--prefer-offline", *words]
        return ["install", "--no-frozen-lockfile", *words]


class Yarn(Tool):
    def arguments(self, case, linker, package):
        words = ["--ignore-scripts", "--non-interactive", "--silent", "--ignore-engines"]
        if case == "lockfile only":
            return None
        if case == "add one":
            return ["add", package, "-W", *words] if pathlib.Path("packages").is_dir() else ["add", package, *words]
        return ["install", *words]


def tools(names):
    """Those of `names` that are there; the others are named on the error stream."""
    all_linkers = ("hoisted", "isolated", "global store", "store")
    known = {
        "bao": lambda: Bun("bao", os.environ["BAO"], "bun.lock", all_linkers),
        "bun": lambda: Bun("bun", find("BUN", "bun", ["bun/bin/bun.exe", "@oven/*/bin/bun"]), "bun.lock", all_linkers),
        "npm": lambda: Npm("npm", find("NPM", "npm", ["npm/bin/npm-cli.js"]), "package-lock.json", ("hoisted",)),
        "pnpm": lambda: Pnpm("pnpm", find("PNPM", "pnpm", ["pnpm/bin/pnpm.cjs"]), "pnpm-lock.yaml", all_linkers),
        "yarn": lambda: Yarn("yarn", find("YARN", "yarn", ["yarn/bin/yarn.js"]), "yarn.lock", ("hoisted",)),
    }
    found = []
    for name in names:
        if name not in known:
            sys.exit(f"bench: unknown tool {name}; known are {', '.join(known)}")
        tool = known[name]()
        if tool.path and shutil.which(tool.path):
            found.append(tool)
        else:
            print(f"bench: {name} was not found and is left out", file=sys.stderr)
    return found
