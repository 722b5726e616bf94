import { systemClock } from '../../daemon/base/clock.ts';
import { BundleSupervisor } from '../../daemon/bundle/bundle-supervisor.ts';
import type { Bundle } from '../../daemon/bundle/bundle.ts';
import { RecordingHost, SHORT_LIMITS } from './bundle-program.ts';
import { createMemoryLogger } from './memory-logger.ts';

// A process that runs the bundle of its first argument and reports when it is up; tests kill it.
const supervisor = new BundleSupervisor({
  host: new RecordingHost(),
  limits: SHORT_LIMITS,
  onStateChange: () => undefined,
  logger: createMemoryLogger(),
  clock: systemClock,
});
setInterval(() => undefined, 1000);
await supervisor.start(JSON.parse(process.argv[2] ?? '') as Bundle);
process.stdout.write('up\n');
