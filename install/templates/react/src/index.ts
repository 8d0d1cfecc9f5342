import { serve } from "bun";
import page from "./index.html";

const server = serve({
  routes: {
    // Everything that no other route has is the page.
    "/*": page,

    "/api/greeting": {
      GET: () => Response.json({ text: "Hello from the server" }),
    },

    "/api/greeting/:name": (request) => Response.json({ text: `Hello, ${request.params.name}` }),
  },

  development: process.env.NODE_ENV !== "production" && {
    // Changes appear in the browser without a reload; its console appears here.
    hmr: true,
    console: true,
  },
});

console.log(`Listening on ${server.url}`);
