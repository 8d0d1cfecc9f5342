// node:console for browsers: the page's own.

export default console;
