import path from 'node:path';

import { RepositoryError } from './repository/repository-error.ts';
import { writeRepository } from './repository/write-repository.ts';
import { readRelease } from './release.ts';
import { describeDaysFault, readToolOptions } from './tool-options.ts';

const ROOT = path.resolve(import.meta.dirname, '..');

const USAGE = `Usage: npm run apt-repository -- --key FILE --out FOLDER [--packages FOLDER] [--valid-days N]

  --key         OpenPGP secret key, without passphrase, that signs the repository
  --out         folder of the repository; packages of a repository that is there stay in it
  --packages    folder with the packages to add (default: build)
  --valid-days  clients refuse the repository when it is older (default: never)

SOURCE_DATE_EPOCH sets the time of the repository (default: the newest commit).
`;

await main();

async function main(): Promise<void> {
  const values = readToolOptions(
    USAGE,
    {
      key: { type: 'string' },
      out: { type: 'string' },
      packages: { type: 'string', default: 'build' },
      'valid-days': { type: 'string' },
    },
    ({ key, out, 'valid-days': days }) => {
      if (key === undefined || out === undefined) return `--${key === undefined ? 'key' : 'out'} is missing`;
      return describeDaysFault(days);
    },
  );
  const { key = '', out = '', packages, 'valid-days': days } = values;
  try {
    const added = await writeRepository({
      keyFile: path.resolve(key),
      folder: path.resolve(out),
      packages: path.resolve(packages),
      epochSeconds: readRelease(ROOT).epochSeconds,
      validDays: days === undefined ? undefined : Number(days),
    });
    process.stdout.write(added.map((file) => `${file}\n`).join(''));
  } catch (error) {
    if (!(error instanceof RepositoryError)) throw error;
    process.stderr.write(`${error.message}; nothing was changed\n`);
    process.exitCode = 1;
  }
}
