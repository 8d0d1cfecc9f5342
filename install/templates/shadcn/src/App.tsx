import { Card, CardContent, CardDescription, CardHeader, CardTitle } from "@/components/ui/card";
import { Greeting } from "./Greeting";
import logo from "./logo.svg";
import "./index.css";

export function App() {
  return (
    <Card className="w-full max-w-lg">
      <CardHeader className="items-center text-center">
        <img className="mx-auto h-24" src={logo} alt="" />
        <CardTitle>bao + React + shadcn</CardTitle>
        <CardDescription>
          Change <code>src/App.tsx</code> and save: the page follows.
        </CardDescription>
      </CardHeader>
      <CardContent>
        <Greeting />
      </CardContent>
    </Card>
  );
}

export default App;
