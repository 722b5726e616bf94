import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { readChecksummedFile, writeChecksummedFile } from '../../../daemon/base/file/checksummed-file.ts';
import { installedPackageSchema } from '../../../daemon/software/deployment/installed-package.ts';
import { buildPackage } from '../../support/package-builder.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { installFile, openDeployer, startDeployable } from '../deployer.ts';
import { GATEWAY, SOFTWARE } from '../measured.ts';
import { pin } from '../process-usage.ts';
import { startProgram } from '../program.ts';
import { sequence } from '../plant.ts';
import type { Scenario } from '../scenario.ts';
import { measureInTurn, median, subtractRounds } from '../statistics.ts';

const PACKAGES = 1000;

/** The list of many packages, beside that of one. */
export const packageList: Scenario = {
  name: 'package-list',
  measures: [...GATEWAY, ...SOFTWARE],
  async run(bench) {
    const packages = createTemporaryDirectory(bench);
    const file = path.join(packages, 'one.dp');
    writeFileSync(
      file,
      buildPackage({ symbolicName: 'one', bundles: [{ symbolicName: 'bundle' }], resources: { a: 'a' } }),
    );
    const few = await startDeployable(bench, packages);
    const fewClient = await openDeployer(few);
    await installFile(fewClient, file);
    const many = await startDeployable(bench, packages);
    await installFile(await openDeployer(many), file);
    await many.stop();
    await multiply(path.join(many.dataDirectory, 'packages'));
    const again = await startProgram(bench, { directory: many.directory, isConfigured: true });
    pin(again.process.pid ?? 0, 'server');
    const manyClient = await openDeployer(again);
    const list = async (client: typeof fewClient, count: number): Promise<number> => {
      const start = performance.now();
      const { json } = await client.send('GET', '/services/deploy/v2');
      const took = performance.now() - start;
      if ((json as readonly unknown[]).length !== count) throw new Error('packages are missing in the list');
      return took;
    };
    const { one, thousand } = await measureInTurn(bench.choose({ full: 21, quick: 9 }), {
      one: () => list(fewClient, 1),
      thousand: () => list(manyClient, PACKAGES),
    });
    return [
      {
        name: `list of ${PACKAGES} packages, over that of one (each with its connection)`,
        value: `${median(thousand).toFixed(1)} ms`,
        floor: `${median(one).toFixed(1)} ms`,
        rounds: subtractRounds(thousand, one),
        unit: 'ms',
      },
    ];
  },
};

/** Creates many installed packages from one, as if each had been installed. */
async function multiply(directory: string): Promise<void> {
  const ledger = path.join(directory, 'ledger');
  const store = path.join(directory, 'store');
  const read = await readChecksummedFile(path.join(ledger, 'one.json'), installedPackageSchema);
  if (read.state !== 'INTACT') throw new Error('the record of the package is not there');
  for (const index of sequence(PACKAGES - 1, 1)) {
    const name = `package${index}`;
    cpSync(path.join(store, 'one'), path.join(store, name), { recursive: true });
    const bundles = read.value.bundles.map((bundle) => ({ ...bundle, symbolicName: `bundle${index}` }));
    await writeChecksummedFile(path.join(ledger, `${name}.json`), {
      ...read.value,
      name,
      bundles,
      position: index + 1,
    });
  }
}
