export function setupPreview(_repl: any, _active: boolean): any {
  return { showPreview() {}, clearPreview() {} };
}
