import assert from 'node:assert/strict';
import { test } from 'node:test';

import { describeKuraComponent } from '../../../../daemon/cli/import/kura-component.ts';

test('describeKuraComponent says what serves the purpose of each kind of component of Kura', () => {
  for (const [pid, factory, reason] of [
    ['org.eclipse.kura.internal.useradmin.store.RoleRepositoryStoreImpl', '', /penstock identity create/],
    ['HttpsKeystore', 'org.eclipse.kura.core.keystore.FilesystemKeystoreServiceImpl', /PEM files/],
    ['org.eclipse.kura.http.server.manager.HttpService', '', /sections http and rest/],
    ['org.eclipse.kura.cloud.CloudService', 'org.eclipse.kura.cloud.CloudService', /MQTT or Sparkplug/],
    ['org.eclipse.kura.net.admin.FirewallConfigurationService', '', /Debian/],
    ['org.eclipse.kura.clock.ClockService', '', /set-ntp/],
    ['org.eclipse.kura.watchdog.WatchdogService', '', /systemd/],
    ['store', 'org.eclipse.kura.wire.H2DbWireRecordStore', /recorder/],
    ['timer', 'org.eclipse.kura.wire.Timer', /Wires/],
    ['org.eclipse.kura.position.PositionService', '', /serial device/],
    ['kura-log', 'org.eclipse.kura.log.filesystem.provider.FilesystemLogProvider', /journalctl/],
    ['pump', 'org.eclipse.kura.container.provider.ContainerInstance', /no|not/],
    ['other', 'org.example.Other', /^is neither a driver nor an asset$/],
  ] as const) {
    assert.match(describeKuraComponent(pid, factory), reason, pid);
  }
});
