// What imported_common_names.mjs imports.
export const a = (name) => `required ${name}`;
export const b = "folder";
export const c = "file";
export default "exported";
