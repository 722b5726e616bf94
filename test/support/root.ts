import { spawnSync } from 'node:child_process';

// A file of tests that imports this one is run by `npm run test:root`.

/** True if the tests run as root. */
export const IS_ROOT = process.getuid?.() === 0;

/** Skips a test unless root runs it. */
export const WITH_ROOT = IS_ROOT ? {} : { skip: 'only root can run it: npm run test:root' };

/** Skips a test that mounts in a namespace of its own unless that is permitted. */
export const WITH_MOUNTS =
  spawnSync('unshare', ['--mount', 'true']).status === 0
    ? {}
    : { skip: 'only root can mount: npm run test:root' };
