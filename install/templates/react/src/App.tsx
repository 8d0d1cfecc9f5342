import { Greeting } from "./Greeting";
import logo from "./logo.svg";
import "./index.css";

export function App() {
  return (
    <main>
      <img className="logo" src={logo} alt="" />
      <h1>bao + React</h1>
      <p>
        Change <code>src/App.tsx</code> and save: the page follows.
      </p>
      <Greeting />
    </main>
  );
}

export default App;
