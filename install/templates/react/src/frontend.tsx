// Puts the application into the page. index.html loads this file.
import { StrictMode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { App } from "./App";

const container = document.getElementById("root");
if (!container) throw new Error("index.html has no element with the id root");

// The root outlives a hot reload, and so does the state of the components.
const kept = import.meta.hot?.data as { root?: Root } | undefined;
const root = kept?.root ?? createRoot(container);
if (kept) kept.root = root;

root.render(
  <StrictMode>
    <App />
  </StrictMode>,
);
