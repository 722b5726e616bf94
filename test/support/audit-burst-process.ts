import { once } from 'node:events';
import { writeSync } from 'node:fs';
import path from 'node:path';

import { createChainHead } from '../../daemon/security/audit/chain-head.ts';
import { loadAuditKey } from '../../daemon/security/audit/audit-key.ts';
import { AuditLog } from '../../daemon/security/audit/audit-log.ts';
import { auditMigrations, createSqliteAuditStore } from '../../daemon/security/audit/sqlite-audit-store.ts';
import { systemClock } from '../../daemon/base/clock.ts';
import { createLogger } from '../../daemon/base/logger.ts';
import { openStore } from '../../daemon/base/store/store.ts';

// Records numbered events, as many requests at once do, and prints the last one that an answer would promise by now. It is a few
// lines ahead of its reader at most, who has a byte of its input for each line.
const LINES_AHEAD = 5;
const [directory = '', count = '0', atOnce = '1'] = process.argv.slice(2);
const store = openStore(path.join(directory, 'store.db'), [auditMigrations]);
const key = await loadAuditKey(path.join(directory, 'audit-key.pem'));
const log = new AuditLog({
  store: createSqliteAuditStore({
    store,
    key,
    head: createChainHead(path.join(directory, 'audit-head'), key),
  }),
  clock: systemClock,
  logger: createLogger({
    level: () => 'error',
    epochMs: Date.now,
    journalPriorities: false,
    write: () => undefined,
  }),
});
const reader = { linesAhead: 0 };
process.stdin.on('data', (chunk: Buffer) => (reader.linesAhead -= chunk.length));
for (let number = 1; number <= Number(count); number += 1) {
  log.record({
    event: 'CHANNEL_WRITE',
    outcome: 'SUCCESS',
    identity: 'scada',
    target: 'boiler',
    detail: { number, 'channels[0]': `SUCCESS setpoint ${number}` },
  });
  if (number % Number(atOnce) === 0) {
    await log.whenStored();
    writeSync(1, `${number}\n`);
    reader.linesAhead += 1;
    while (reader.linesAhead > LINES_AHEAD) await once(process.stdin, 'data');
  }
}
await log.stop();
store.close();
process.stdin.destroy();
