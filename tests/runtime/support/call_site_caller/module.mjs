const { prepareStackTrace } = Error;
Error.prepareStackTrace = (_error, frames) => frames;
export const ofTop = new Error().stack[0].getTypeName();
Error.prepareStackTrace = prepareStackTrace;
