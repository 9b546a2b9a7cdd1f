// Runs bundle.py in the browser's own Python, so that what it compiles is what the browser can read.
//   node bundle.mjs PYODIDE HIGHS TREE OUT
import { pathToFileURL } from "node:url";
import { readFileSync } from "node:fs";

const [pyodide, highs, tree, out] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: `${pyodide}/` });
const { default: loadHighs } = await import(pathToFileURL(`${highs}/build/highs.mjs`));
python.registerJsModule("build", { solver: await loadHighs() });
for (const [name, root] of [["tree", tree], ["out", out]]) {
  python.FS.mkdirTree(`/mnt/${name}`);
  python.FS.mount(python.FS.filesystems.NODEFS, { root }, `/mnt/${name}`);
}
try {
  await python.runPythonAsync(readFileSync(new URL("bundle.py", import.meta.url), "utf-8"));
} catch (error) {
  console.error(error.message); // Node would print the whole runtime besides
  process.exit(1);
}
