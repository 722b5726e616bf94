import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Version and time of a build. */
export interface Release {
  readonly version: string;
  /** Seconds since the epoch that every file of the package carries. */
  readonly epochSeconds: number;
}

/** Reads the version of the project, and the time from SOURCE_DATE_EPOCH or else of the newest commit. */
export function readRelease(root: string, environment: NodeJS.ProcessEnv = process.env): Release {
  const text = readFileSync(path.join(root, 'package.json'), 'utf8');
  const { version } = JSON.parse(text) as { readonly version: string };
  const given = environment['SOURCE_DATE_EPOCH'];
  const seconds =
    given ?? execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }).trim();
  if (!/^\d{1,12}$/.test(seconds))
    throw new Error(`SOURCE_DATE_EPOCH ${seconds}: expected seconds since 1970`);
  return { version, epochSeconds: Number(seconds) };
}
