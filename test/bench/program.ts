import path from 'node:path';

/** The daemon as it is installed: compiled. Running the sources costs memory and time for the compiler in the runtime. */
export const PROGRAM = path.resolve(import.meta.dirname, '../../build/javascript/daemon/main.js');
