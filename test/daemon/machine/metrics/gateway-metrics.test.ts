import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { createGatewayMetrics } from '../../../../daemon/machine/metrics/gateway-metrics.ts';
import type { MeasuredConnection } from '../../../../daemon/machine/metrics/gateway-metrics.ts';
import type { MeasuredRecording } from '../../../../daemon/machine/metrics/recording-metrics.ts';
import { UNKNOWN_MACHINE } from '../../../../daemon/machine/metrics/machine-metrics.ts';
import type { MeasuredMachine } from '../../../../daemon/machine/metrics/machine-metrics.ts';
import { MetricsListener } from '../../../../daemon/machine/metrics/metrics-listener.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const LINE: MeasuredConnection = {
  driver: 'line "1"',
  isConnected: true,
  counters: { requests: 12, timeouts: 2 },
  units: [{ name: 'unit 7', isSuspended: true, counters: { requests: 5 } }],
};

function createBench(
  connections: () => readonly MeasuredConnection[] = () => [LINE],
  machine: MeasuredMachine = UNKNOWN_MACHINE,
  recording?: MeasuredRecording,
) {
  return createGatewayMetrics({
    clock: new ManualClock(),
    version: '1.2.3',
    connections,
    assets: () => [{ asset: 'boiler', failingChannels: 2 }],
    bundles: () => [
      { name: 'org.example.meter', isActive: true, storedBytes: 4096 },
      { name: 'org.example.pump', isActive: false },
    ],
    providers: () => [
      { bundle: 'org.example.keys', provider: 1, isSuspended: false, silences: 0 },
      { bundle: 'org.example.keys', provider: 2, isSuspended: true, silences: 5 },
    ],
    openSessions: () => 4,
    certificateExpiresAtMs: () => 1_800_000_000_000,
    recording: () => recording,
    lookAtMachine: async () => machine,
    clientCertificates: () => [{ identity: 'scada', expiresAtMs: 1_900_000_000_000 }],
    audit: () => ({ breaks: 1, waitingEvents: 2, lostEvents: 3 }),
    auditExports: () => [
      { place: 'journal', isTaking: undefined, lastEventId: 0, waitingEvents: 9, failures: 0 },
      {
        place: 'syslog',
        isTaking: false,
        sinceMs: 1_700_000_001_000,
        lastEventId: 7,
        lastTakenAtMs: 1_700_000_000_500,
        waitingEvents: 2,
        failures: 3,
      },
    ],
  });
}

test('metrics show connections, devices, assets, bundles, sessions and the expiry of the certificate', async () => {
  const text = await createBench().render();
  for (const line of [
    'penstock_build_info{version="1.2.3"} 1',
    'penstock_connection_up{driver="line \\"1\\""} 1',
    'penstock_unit_suspended{driver="line \\"1\\"",unit="unit 7"} 1',
    'penstock_driver_operations_total{driver="line \\"1\\"",kind="timeouts"} 2',
    'penstock_unit_operations_total{driver="line \\"1\\"",unit="unit 7",kind="requests"} 5',
    'penstock_asset_failing_channels{asset="boiler"} 2',
    'penstock_bundle_up{bundle="org.example.meter"} 1',
    'penstock_bundle_up{bundle="org.example.pump"} 0',
    'penstock_bundle_data_bytes{bundle="org.example.meter"} 4096',
    'penstock_provider_suspended{bundle="org.example.keys",provider="1"} 0',
    'penstock_provider_suspended{bundle="org.example.keys",provider="2"} 1',
    'penstock_provider_silent_requests_total{bundle="org.example.keys",provider="2"} 5',
    'penstock_sessions 4',
    'penstock_certificate_expiry_timestamp_seconds 1800000000',
  ]) {
    assert.ok(text.split('\n').includes(line), line);
  }
});

test('a connection that was never tried has no value', async () => {
  const text = await createBench(() => [
    { ...LINE, driver: 'untried', isConnected: undefined },
    { ...LINE, driver: 'lost', isConnected: false },
  ]).render();
  assert.match(text, /^penstock_connection_up\{driver="lost"\} 0$/m);
  assert.doesNotMatch(text, /penstock_connection_up\{driver="untried"\}/);
});

test('responses are counted by endpoint and status, and their duration goes into a histogram', async () => {
  const metrics = createBench();
  const answered = { method: 'GET', route: '/services/assets/:pid', status: 200, durationMs: 3 };
  metrics.note(answered);
  metrics.note(answered);
  const text = await metrics.render();
  assert.match(
    text,
    /penstock_http_requests_total\{method="GET",route="\/services\/assets\/:pid",status="200"\} 2/,
  );
  assert.match(text, /penstock_http_request_duration_seconds_bucket\{le="0.005"\} 2/);
  assert.match(text, /penstock_http_request_duration_seconds_bucket\{le="0.0025"\} 0/);
});

test('parts that are no longer configured leave no series behind', async () => {
  let connections: readonly MeasuredConnection[] = [LINE];
  const metrics = createBench(() => connections);
  await metrics.render();
  connections = [];
  assert.doesNotMatch(await metrics.render(), /driver=/);
});

test('the process is described under the metric names of Prometheus', async () => {
  const metrics = createBench();
  const read = async (name: string): Promise<number> =>
    Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await metrics.render())?.[1]);
  assert.ok((await read('process_resident_memory_bytes')) > (await read('process_heap_bytes')));
  assert.ok((await read('process_max_fds')) > (await read('process_open_fds')));
  assert.ok((await read('process_open_fds')) >= 3);
  assert.ok((await read('process_start_time_seconds')) * 1000 < Date.now());
  for (const counter of ['process_cpu_seconds_total', 'nodejs_eventloop_active_seconds_total']) {
    const before = await read(counter);
    while ((await read(counter)) <= before) await setImmediate();
  }
});

test('metrics are served on their own port, moved by a reload, and nowhere without one', async (t) => {
  const listener = new MetricsListener({
    findRefusal: () => undefined,
    settings: { host: '127.0.0.1', port: null },
    metrics: createBench(),
    logger: createMemoryLogger(),
  });
  t.after(() => listener.stop());
  await listener.start();
  assert.equal(listener.port, undefined);
  await listener.apply({ host: '127.0.0.1', port: 0 });
  const answer = await fetch(`http://127.0.0.1:${listener.port}/metrics`);
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  assert.match(await answer.text(), /process_cpu_seconds_total/);
  assert.equal((await fetch(`http://127.0.0.1:${listener.port}/`)).status, 404);
});

test('a port in use is refused with its number', async (t) => {
  const options = { metrics: createBench(), logger: createMemoryLogger() };
  const first = new MetricsListener({
    ...options,
    findRefusal: () => undefined,
    settings: { host: '127.0.0.1', port: 0 },
  });
  t.after(() => first.stop());
  await first.start();
  const second = new MetricsListener({
    ...options,
    findRefusal: () => undefined,
    settings: { host: '127.0.0.1', port: first.port ?? 0 },
  });
  await assert.rejects(second.start(), {
    code: 'METRICS_PORT_UNAVAILABLE',
    message: new RegExp(String(first.port)),
  });
});

test('metrics show how far each place has taken the audit, and nothing of what is not known', async () => {
  const lines = (await createBench().render())
    .split('\n')
    .filter((line) => line.startsWith('penstock_audit_'));
  assert.deepEqual(lines, [
    'penstock_audit_breaks 1',
    'penstock_audit_waiting_events 2',
    'penstock_audit_lost_events_total 3',
    'penstock_audit_export_up{place="syslog"} 0',
    'penstock_audit_export_since_timestamp_seconds{place="syslog"} 1700000001',
    'penstock_audit_export_waiting_events{place="journal"} 9',
    'penstock_audit_export_waiting_events{place="syslog"} 2',
    'penstock_audit_export_last_event_id{place="journal"} 0',
    'penstock_audit_export_last_event_id{place="syslog"} 7',
    'penstock_audit_export_last_taken_timestamp_seconds{place="syslog"} 1700000000.5',
    'penstock_audit_export_failures_total{place="journal"} 0',
    'penstock_audit_export_failures_total{place="syslog"} 3',
  ]);
});

const isOfMachine = (line: string): boolean =>
  /^penstock_(?:config|disk|clock|backup|client_certificate)_/.test(line);

test('metrics show reload, disk, clock, the newest backup and the end of client certificates', async () => {
  const metrics = createBench(undefined, {
    reload: { isSuccessful: false, timeMs: 1_700_000_000_500 },
    disk: { freeBytes: 1_000, totalBytes: 4_000 },
    isClockSynchronized: false,
    newestBackupMs: 1_600_000_000_000,
  });
  assert.deepEqual((await metrics.render()).split('\n').filter(isOfMachine), [
    'penstock_config_last_reload_successful 0',
    'penstock_config_last_reload_timestamp_seconds 1700000000.5',
    'penstock_disk_free_bytes 1000',
    'penstock_disk_size_bytes 4000',
    'penstock_clock_synchronized 0',
    'penstock_backup_timestamp_seconds 1600000000',
    'penstock_client_certificate_expiry_timestamp_seconds{identity="scada"} 1900000000',
  ]);
});

test('what is not known of the machine is no metric', async () => {
  assert.deepEqual((await createBench().render()).split('\n').filter(isOfMachine), [
    'penstock_client_certificate_expiry_timestamp_seconds{identity="scada"} 1900000000',
  ]);
});

test('metrics show the recording where there are recorders', async () => {
  assert.doesNotMatch(await createBench().render(), /^penstock_(?:recording|journal|history)/m);
  const recording = {
    stop: undefined,
    historyFault: undefined,
    historyBytes: 8192,
    journalBytes: 4096,
    consumers: [{ consumer: 'history', lagSamples: 12 }],
    recorders: [{ pid: 'minute', samples: 7 }],
  };
  const text = await createBench(undefined, undefined, recording).render();
  for (const line of [
    'penstock_recording_up 1',
    'penstock_history_up 1',
    'penstock_journal_bytes 4096',
    'penstock_history_bytes 8192',
    'penstock_journal_lag_samples{consumer="history"} 12',
    'penstock_recorder_samples_total{recorder="minute"} 7',
  ])
    assert.ok(text.includes(`${line}\n`), line);
  const stop = { reason: 'the disk is full', sinceMs: 1 };
  assert.match(
    await createBench(undefined, undefined, { ...recording, stop }).render(),
    /^penstock_recording_up 0$/m,
  );
  assert.match(
    await createBench(undefined, undefined, { ...recording, historyFault: stop }).render(),
    /^penstock_history_up 0$/m,
  );
});
