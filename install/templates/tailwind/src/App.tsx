import { Greeting } from "./Greeting";
import logo from "./logo.svg";
import "./index.css";

export function App() {
  return (
    <main className="mx-auto max-w-xl p-8 text-center">
      <img className="mx-auto h-24 transition-transform hover:scale-110" src={logo} alt="" />
      <h1 className="my-4 text-4xl font-bold">bao + React + Tailwind</h1>
      <p className="mb-6">
        Change <code className="rounded bg-stone-200 px-1.5 py-0.5 dark:bg-stone-700">src/App.tsx</code> and save: the page follows.
      </p>
      <Greeting />
    </main>
  );
}

export default App;
