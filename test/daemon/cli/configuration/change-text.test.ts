import assert from 'node:assert/strict';
import { test } from 'node:test';

import { describeMade, describePlanned } from '../../../../daemon/cli/configuration/change-text.ts';

const PAGE = { columns: 80, isColoured: false };
const NOTHING = { snapshot: 7, added: [], changed: [], removed: [], restartedConnections: [], cutsOff: [] };

test('a plan says in words what a change does, and what clients lose', () => {
  const plan = {
    snapshot: 7,
    added: ['drivers/plc'],
    changed: ['rest/allowedPorts', 'assets/north/south'],
    removed: ['tokenIssuingServices/old'],
    changedTemplates: ['pump'],
    restartedConnections: ['line'],
    cutsOff: ['port 443'],
    warnings: ['two drivers for one device'],
  };
  assert.equal(
    describePlanned(plan, PAGE),
    `adds driver plc
changes rest.allowedPorts
changes asset north/south
removes token issuing service old
changes template pump, because its file changed
restarts the connection line
clients lose access: port 443
warning: two drivers for one device
`,
  );
});

test('a change without effect says so', () => {
  assert.equal(describePlanned(NOTHING, PAGE), 'nothing changes\n');
  assert.equal(describeMade(NOTHING, PAGE), 'nothing changed\nsnapshot 7 is active\n');
});

test('what a gateway sends never reaches the terminal as a control sequence', () => {
  const plan = { ...NOTHING, cutsOff: ['asset \u001B[2J'] };
  assert.equal(describePlanned(plan, PAGE), 'clients lose access: asset \uFFFD[2J\n');
});
