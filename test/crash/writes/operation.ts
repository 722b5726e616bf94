import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { AssetAccess } from '../../../daemon/plant/access/asset-access.ts';
import { AssetRegistry } from '../../../daemon/plant/asset/asset-registry.ts';
import { checkPlant } from '../../../daemon/plant/asset/plant-config.ts';
import { finish } from '../../../daemon/base/slices.ts';
import { systemRandom } from '../../../daemon/base/random.ts';
import { openStore } from '../../../daemon/base/store/store.ts';
import { Listener } from '../../../daemon/server/http/connection/listener.ts';
import {
  idempotencyMigrations,
  IdempotencyStore,
} from '../../../daemon/security/idempotency/idempotency-store.ts';
import { createAssetRoutes } from '../../../daemon/server/rest/plant/asset-routes.ts';
import { createRecordRenderer } from '../../../daemon/server/rest/plant/record-json.ts';
import { createTestApplication, toIdentity } from '../../daemon/server/http/application-fixture.ts';
import { createConnectionTable } from '../../support/connection-table.ts';
import { send } from '../../support/https-client.ts';
import { createLastWrites } from '../../support/last-writes.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createMemoryLogger } from '../../support/memory-logger.ts';
import { countWire, createWireFactory } from './wire-driver.ts';
import type { WritesReport } from './subject.ts';

// One write with an idempotency key, from the request over TCP to the answer, in a process that may be killed at any moment:
// `operation.ts DIRECTORY write`. What reaches the device is a line of the file `wire`; what the client has got is in `answer`.
// The last line on standard output tells what the client got now, what it had got before, and what is on the wire.
const [directory = ''] = process.argv.slice(2);
const answerFile = path.join(directory, 'answer');
const before = readAnswer();

const store = openStore(path.join(directory, 'penstock.db'), [idempotencyMigrations]);
const factory = createWireFactory(directory);
const clock = new ManualClock(Date.now());
const registry = new AssetRegistry({
  factories: () => [factory],
  driverDirectory: directory,
  onChange: () => undefined,
  logger: createMemoryLogger(),
  clock,
  lastWrites: createLastWrites(clock),
  random: systemRandom,
});
const valve = { name: 'valve', type: 'READ_WRITE', valueType: 'INTEGER', address: {} };
const plant = finish(
  checkPlant([factory], {
    drivers: [{ pid: 'line', type: 'wire' }],
    assets: [{ pid: 'tank', driver: 'line', channels: [valve] }],
  }),
);
if (plant.value === undefined) throw new Error(JSON.stringify(plant.faults));
await registry.apply(plant.value);
const access = new AssetAccess({ registry, identities: { find: toIdentity }, clock });
const { application } = createTestApplication(
  createAssetRoutes({
    access,
    rest: () => ({ recordDetails: true }),
    renderRecords: createRecordRenderer(),
    writeDeadlineMs: () => 60_000,
    clock,
  }),
  {},
  () => new IdempotencyStore({ store, clock }),
);
const connections = createConnectionTable();
const listener = new Listener({
  kind: 'http',
  host: '127.0.0.1',
  port: 0,
  application,
  connections,
  drainMs: 0,
});
await listener.start();
const { status, text, headers } = await send(
  { port: listener.port, plain: true },
  'POST',
  '/services/assets/tank/_write',
  {
    body: { channels: [{ name: 'valve', type: 'INTEGER', value: 1 }] },
    headers: { Authorization: 'assets', 'Idempotency-Key': 'open-1' },
  },
);
const report: WritesReport = {
  outcome: text.includes('"SUCCESS"') ? 'COMPLETED' : `${status} ${text}`,
  isReplayed: headers['idempotency-replayed'] === 'true',
  text,
  before,
  wire: countWire(directory),
};
if (before === undefined) writeFileSync(answerFile, text);
process.stdout.write(`${JSON.stringify(report)}\n`);
await listener.stop();
await registry.stop();
store.close();

function readAnswer(): string | undefined {
  try {
    // A client that was killed while it noted the answer has none.
    const noted = readFileSync(answerFile, 'utf8');
    return noted.endsWith(']') || noted.endsWith('}') ? noted : undefined;
  } catch {
    return undefined;
  }
}
