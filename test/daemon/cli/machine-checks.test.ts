import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { checkCertificate } from '../../../daemon/cli/machine-checks.ts';
import { loadSettingsFile } from '../../../daemon/settings/settings-file.ts';
import { getServerCertificate } from '../../support/certificate-authority.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const YEAR_MS = 365 * 86_400_000;

for (const { atMs, state, detail } of [
  { atMs: Date.now(), state: 'GOOD', detail: /is valid for \d+ days$/ },
  {
    atMs: Date.now() + 50 * YEAR_MS,
    state: 'WRONG',
    detail: /expired on \d{4}-\d\d-\d\d .*: clients refuse it$/,
  },
  { atMs: Date.now() - 50 * YEAR_MS, state: 'WRONG', detail: /is not valid before \d{4}-\d\d-\d\d / },
]) {
  test(`a certificate at another time: ${detail.source}`, async (t) => {
    const directory = createTemporaryDirectory(t);
    const { certificate, privateKey } = await getServerCertificate();
    writeFileSync(path.join(directory, 'server.crt'), certificate);
    writeFileSync(path.join(directory, 'server.key'), privateKey, { mode: 0o600 });
    const file = path.join(directory, 'penstock.yaml');
    writeFileSync(
      file,
      `tls: { certificateFile: ${directory}/server.crt, privateKeyFile: ${directory}/server.key }\n`,
    );
    const { settings } = await loadSettingsFile(file);
    const finding = await checkCertificate(settings, atMs);
    assert.equal(finding.state, state);
    assert.match(finding.detail, detail);
  });
}
