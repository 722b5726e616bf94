import { systemClock } from '../../daemon/base/clock.ts';
import { BundleSupervisor } from '../../daemon/software/bundle/bundle-supervisor.ts';
import { ChildLauncher } from '../../daemon/software/bundle/process/child-launcher.ts';
import { probeLaunchFeatures } from '../../daemon/software/bundle/process/launch-command.ts';
import type { Bundle } from '../../daemon/software/bundle/bundle.ts';
import { RecordingHost, SHORT_LIMITS } from './bundle-program.ts';
import { createMemoryLogger } from './memory-logger.ts';

// A process that runs the bundle of its first argument and reports when it is up; tests kill it.
const parts = { logger: createMemoryLogger(), clock: systemClock };
const supervisor = new BundleSupervisor({
  host: new RecordingHost(),
  launcher: new ChildLauncher({ heapMib: SHORT_LIMITS.heapMib, probe: probeLaunchFeatures, ...parts }),
  limits: SHORT_LIMITS,
  onStateChange: () => undefined,
  ...parts,
});
setInterval(() => undefined, 1000);
await supervisor.start(JSON.parse(process.argv[2] ?? '') as Bundle);
process.stdout.write('up\n');
