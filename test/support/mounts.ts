import { spawnSync } from 'node:child_process';

/** Options of a test that mounts in a namespace of its own; skips it where that is not permitted. */
export const WITH_MOUNTS =
  spawnSync('unshare', ['--mount', 'true']).status === 0 ? {} : { skip: 'nothing may be mounted here' };
