// Files that the bundler turns into modules.

declare module "*.svg" {
  const url: `${string}.svg`;
  export = url;
}

declare module "*.html" {
  const page: import("bun").HTMLBundle;
  export default page;
}

declare module "*.module.css" {
  const classes: { readonly [name: string]: string };
  export = classes;
}

declare module "*.css";
