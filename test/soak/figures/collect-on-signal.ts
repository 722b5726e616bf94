const { gc: collect } = globalThis;
if (collect === undefined) throw new Error('a soak needs a launcher with --expose-gc');

/**
 * The gateway of a soak loads this first, and collects its garbage on SIGUSR2: what is left is in use. A line in its log says
 * when it is done, as a signal has no answer.
 */
process.on('SIGUSR2', () => {
  collect();
  process.stdout.write(`${JSON.stringify({ level: 'debug', event: 'garbage.collected' })}\n`);
});
