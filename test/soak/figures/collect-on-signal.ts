/** The gateway of a soak loads this first, and collects its garbage on SIGUSR2: what is left is in use. Its launcher has `--expose-gc`. */
process.on('SIGUSR2', () => globalThis.gc?.());
