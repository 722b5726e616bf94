import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

import { buildExamplePackage } from '../support/example-package.ts';
import { getCertificateAuthority, getClientCertificate } from '../support/certificate-authority.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { startGateway } from '../support/gateway.ts';
import { send, SessionClient } from '../support/https-client.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import {
  ALERTMANAGER_FILE,
  PROMETHEUS_FILE,
  readAlerts,
  readGroupNames,
  readPanels,
  readRules,
  RULES_FILE,
} from '../support/monitoring-files.ts';
import { uploadPackage } from '../support/package-upload.ts';
import { parseExposition, runPromtool, startPrometheus } from '../support/prometheus.ts';
import type { Series } from '../support/prometheus.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';
import { programOf } from '../support/tools.ts';

const PASSWORD = 'monitoring-password-5';
const PAUSE_MS = 50;
const DAY_SECONDS = 86_400;
const MINUTES = 4 * 60;
const METRIC = /\b(?:penstock|process|nodejs)_\w+/g;
const SUFFIX = /_(?:bucket|sum|count)$/;
const VARIABLES = { $gateway: '.+', $asset: '.+', $__rate_interval: '1m' } as const;

/** Starts a gateway with a device, one that is away, a recorder, a bundle, an export of the audit and a client certificate. */
async function startMeasuredGateway(t: TestContext) {
  const device = await startLibmodbusServer();
  t.after(() => device.close());
  const [metricsPort = 0, closed = 0] = await findFreePorts(2);
  const authority = path.join(createTemporaryDirectory(t), 'authority.pem');
  writeFileSync(authority, (await getCertificateAuthority()).certificate);
  const address = { table: 'HOLDING_REGISTERS', offset: 7, dataType: 'UINT16' };
  const level = { name: 'level', type: 'READ', valueType: 'INTEGER', address };
  const url = `http://127.0.0.1:${closed}/write`;
  const gateway = await startGateway(t, {
    config: {
      metrics: { host: '127.0.0.1', port: metricsPort },
      audit: { syslog: { host: 'localhost', port: closed, certificateAuthoritiesFile: authority } },
      provision: {
        rest: { statelessCertificateAuthenticationEnabled: true },
        identities: [{ name: 'operator', permissions: ['rest.deploy', 'rest.assets'], password: PASSWORD }],
        drivers: [
          { pid: 'there', type: 'modbus', host: '127.0.0.1', port: device.port },
          { pid: 'away', type: 'modbus', host: '127.0.0.1', port: closed },
        ],
        assets: ['there', 'away'].map((driver) => ({ pid: driver, driver, channels: [level] })),
        recorders: [{ pid: 'fast', intervalMs: 100, assets: [{ asset: 'there' }] }],
        bundles: [{ pid: 'org.example.influx-lines', settings: { url, recorder: 'fast' } }],
      },
    },
  });
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  await client.login('operator', PASSWORD);
  const installed = await uploadPackage(client, buildExamplePackage('influx-lines'));
  assert.equal(installed.state, 'COMPLETED', installed.message);
  await client.send('GET', '/services/assets/there/_read');
  await client.send('GET', '/services/assets/away/_read');
  const certified = { port: gateway.clientAuthPorts[0] ?? 0, ...(await getClientCertificate('operator')) };
  assert.equal((await send(certified, 'GET', '/services/assets')).status, 200);
  const scrape = async (): Promise<string> =>
    (await send({ port: metricsPort, plain: true }, 'GET', '/metrics')).text;
  return { metricsPort, scrape };
}

/** Waits until the gateway has measured everything that its rules are about. */
async function scrapeAll(
  scrape: () => Promise<string>,
  names: readonly string[],
): Promise<readonly Series[]> {
  for (;;) {
    const series = parseExposition(await scrape());
    if (names.every((name) => series.some((each) => each.name === name))) return series;
    await wait(PAUSE_MS);
  }
}

/** Values of one series from minute to minute, in the notation of promtool. */
type Values = string;

/** A fault: what it does to the series of a healthy gateway. */
interface Fault {
  /** Values by the name of a series; with a label in front for one series of several. */
  readonly values: Readonly<Record<string, Values>>;
  /** Minutes from the beginning after which the alert fires. */
  readonly minutes: number;
}

const DAY_MINUTES = 24 * 60;
const inDays = (days: number): Values => `${days * DAY_SECONDS}`;

// A time is measured from the beginning of a test of promtool, which is 1970.
// A rate is low until its window of five minutes is full.
const FAULTS: Readonly<Record<string, Fault>> = {
  PenstockGatewayDown: { values: { up: '0' }, minutes: 2 },
  PenstockRestartsOften: { values: { process_start_time_seconds: '0 1 2 3x300' }, minutes: 3 },
  PenstockRequestsFail: { values: { 'status="500" penstock_http_requests_total': '0+60x300' }, minutes: 11 },
  PenstockRequestsSlow: {
    values: { 'le="10" penstock_http_request_duration_seconds_bucket': '0+60x300' },
    minutes: 16,
  },
  PenstockCredentialsRefused: {
    values: { 'status="401" penstock_http_requests_total': '0+60x300' },
    minutes: 18,
  },
  PenstockProcessorBusy: { values: { nodejs_eventloop_active_seconds_total: '0+59x300' }, minutes: 20 },
  PenstockMemoryHigh: { values: { process_resident_memory_bytes: `${760 * 1024 * 1024}` }, minutes: 15 },
  PenstockFilesNearLimit: { values: { process_open_fds: '19000' }, minutes: 15 },
  PenstockReloadFailed: { values: { penstock_config_last_reload_successful: '0' }, minutes: 1 },
  PenstockClockNotSynchronized: { values: { penstock_clock_synchronized: '0' }, minutes: 60 },
  PenstockDiskAlmostFull: { values: { penstock_disk_free_bytes: '400000000' }, minutes: 15 },
  // 50 GiB that shrink by 15 GiB a day.
  PenstockDiskFullSoon: {
    values: {
      penstock_disk_free_bytes: '50000000000-17000000x300',
      penstock_disk_size_bytes: '100000000000',
    },
    minutes: 121,
  },
  PenstockBackupOld: { values: { penstock_backup_timestamp_seconds: `-${inDays(2)}` }, minutes: 61 },
  PenstockBackupMissing: { values: { penstock_backup_timestamp_seconds: '_' }, minutes: 2 * DAY_MINUTES },
  PenstockCertificateExpires: {
    values: { penstock_certificate_expiry_timestamp_seconds: inDays(29) },
    minutes: 60,
  },
  PenstockCertificateExpiresNow: {
    values: { penstock_certificate_expiry_timestamp_seconds: inDays(6) },
    minutes: 0,
  },
  PenstockClientCertificateExpires: {
    values: { penstock_client_certificate_expiry_timestamp_seconds: inDays(29) },
    minutes: 60,
  },
  PenstockConnectionDown: { values: { 'driver="away" penstock_connection_up': '0' }, minutes: 5 },
  PenstockDeviceSilent: { values: { penstock_unit_suspended: '1' }, minutes: 5 },
  PenstockChannelsFail: { values: { 'asset="there" penstock_asset_failing_channels': '1' }, minutes: 5 },
  PenstockLineDisturbed: {
    values: {
      'driver="there",kind="requests" penstock_driver_operations_total': '0+60x300',
      'driver="there",kind="timeouts" penstock_driver_operations_total': '0+20x300',
    },
    minutes: 16,
  },
  PenstockNotRecording: { values: { penstock_recording_up: '0' }, minutes: 1 },
  PenstockHistoryNotStored: { values: { penstock_history_up: '0' }, minutes: 15 },
  PenstockConsumerBehind: {
    values: { 'consumer="history" penstock_journal_lag_samples': '0+100x300' },
    minutes: 61,
  },
  PenstockBundleDown: { values: { penstock_bundle_up: '0' }, minutes: 5 },
  PenstockBundleProblem: { values: { penstock_bundle_ok: '0' }, minutes: 10 },
  PenstockProviderSuspended: { values: { penstock_provider_suspended: '1' }, minutes: 10 },
  PenstockAuditBroken: { values: { penstock_audit_breaks: '0x9 1x300' }, minutes: 10 },
  PenstockAuditNotStored: { values: { penstock_audit_waiting_events: '3' }, minutes: 5 },
  PenstockAuditLost: { values: { penstock_audit_lost_events_total: '0x9 5x300' }, minutes: 10 },
  PenstockAuditExportDown: { values: { penstock_audit_export_up: '0' }, minutes: 15 },
};

/** Series that are absent on a machine of a test, as their documentation has them. */
const ABSENT: readonly Series[] = [
  { name: 'penstock_clock_synchronized', labels: '', value: 1 },
  { name: 'penstock_backup_timestamp_seconds', labels: '', value: 0 },
  { name: 'penstock_provider_suspended', labels: 'bundle="org.example.api-key",provider="1"', value: 0 },
  { name: 'penstock_http_requests_total', labels: 'method="GET",route="/",status="401"', value: 0 },
  { name: 'penstock_http_requests_total', labels: 'method="GET",route="/",status="500"', value: 0 },
];

const IN_GOOD_STATE: Readonly<Record<string, Values>> = {
  up: '1',
  penstock_connection_up: '1',
  penstock_bundle_ok: '1',
  penstock_audit_export_up: '1',
  penstock_audit_export_waiting_events: '0',
  penstock_journal_lag_samples: '0',
  penstock_certificate_expiry_timestamp_seconds: inDays(300),
  penstock_client_certificate_expiry_timestamp_seconds: inDays(300),
};

/** Returns a test of promtool: which alerts fire at a time. */
function describeTest(
  series: readonly Series[],
  { values, minutes, fires }: Fault & { readonly fires: readonly string[] },
): object {
  const lengths = `x${Math.max(MINUTES, minutes)}`;
  const valuesOf = ({ name, labels, value }: Series): Values => {
    const found = Object.entries(values).find(([key]) => {
      const [metric = '', wanted] = key.split(' ').toReversed();
      return metric === name && (wanted ?? '').split(',').every((label) => labels.includes(label));
    });
    const text = found?.[1] ?? IN_GOOD_STATE[name] ?? String(value);
    return /[x_ ]/.test(text) ? text : `${text}${lengths}`;
  };
  const place = 'job="penstock",instance="gateway-1"';
  return {
    interval: '1m',
    input_series: series.map((each) => ({
      series: `${each.name}{${[place, each.labels].filter((part) => part !== '').join(',')}}`,
      values: valuesOf(each),
    })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: `${minutes}m`,
        exp_samples: fires.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
      },
    ],
  };
}

test(
  'each alert fires at its fault and not before, with the series of a gateway',
  needs('promtool', 'libmodbus'),
  async (t) => {
    await runPromtool('check', 'rules', '--lint-fatal', RULES_FILE);
    await runPromtool('check', 'config', '--syntax-only', PROMETHEUS_FILE);
    const { scrape } = await startMeasuredGateway(t);
    const absent = new Set(ABSENT.map(({ name }) => name));
    const used = [...new Set(readAlerts().flatMap(({ expr }) => expr.match(METRIC) ?? []))];
    const measured = await scrapeAll(
      scrape,
      used.filter((name) => !absent.has(name)),
    );
    const series = [
      { name: 'up', labels: '', value: 1 },
      ...measured.map((each) => (each.name.endsWith('_total') ? { ...each, value: 0 } : each)),
      ...ABSENT.filter(
        ({ name, labels }) => !measured.some((each) => each.name === name && each.labels === labels),
      ),
    ];
    assert.deepEqual(
      Object.keys(FAULTS),
      readAlerts().map(({ alert }) => alert),
    );
    const inHours: object[] = [];
    const inMinutes = [describeTest(series, { values: {}, minutes: MINUTES, fires: [] })];
    for (const [alert, { values, minutes }] of Object.entries(FAULTS)) {
      const isLong = minutes >= DAY_MINUTES;
      const tests = isLong ? inHours : inMinutes;
      tests.push(describeTest(series, { values, minutes, fires: [alert] }));
      const before = minutes - (isLong ? 60 : 1);
      if (before >= 0) tests.push(describeTest(series, { values, minutes: before, fires: [] }));
    }
    const directory = createTemporaryDirectory(t);
    for (const [interval, tests] of [
      ['1m', inMinutes],
      ['1h', inHours],
    ] as const) {
      const file = path.join(directory, `alerts-${interval}.json`);
      const order = { group_eval_order: readGroupNames(), evaluation_interval: interval };
      writeFileSync(file, JSON.stringify({ rule_files: [RULES_FILE], ...order, tests }));
      assert.match(await runPromtool('test', 'rules', file), /SUCCESS/);
    }
  },
);

test(
  'Prometheus evaluates every rule and every query of the dashboard, and an alert names the device',
  needs('prometheus', 'libmodbus'),
  async (t) => {
    const { metricsPort, scrape } = await startMeasuredGateway(t);
    const prometheus = await startPrometheus(t, {
      target: `127.0.0.1:${metricsPort}`,
      rulesFile: RULES_FILE,
    });
    const metrics = new Set([...(await scrape()).matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name));
    const queries = readPanels().flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    const records = new Set(readRules().flatMap((rule) => ('record' in rule ? [rule.record] : [])));
    for (const query of [...queries, ...readRules().map(({ expr }) => expr)]) {
      const names = (query.match(METRIC) ?? []).map((name) => name.replace(SUFFIX, ''));
      assert.deepEqual(
        names.filter((name) => !metrics.has(name) && !name.startsWith('penstock:')),
        [],
        query,
      );
      for (const [record] of query.matchAll(/\bpenstock:[\w:]+/g)) assert.ok(records.has(record), record);
    }
    for (const query of queries) {
      const text = Object.entries(VARIABLES).reduce(
        (all, [name, value]) => all.replaceAll(name, value),
        query,
      );
      await prometheus.ask('query', { query: text });
    }
    for (;;) {
      const { alerts } = (await prometheus.ask('alerts')) as {
        readonly alerts: readonly { readonly annotations: { readonly summary: string } }[];
      };
      const summaries = alerts.map(({ annotations }) => annotations.summary);
      if (summaries.includes(`127.0.0.1:${metricsPort} does not reach the devices of away`)) break;
      await wait(PAUSE_MS);
    }
    const { groups } = (await prometheus.ask('rules')) as {
      readonly groups: readonly {
        readonly rules: readonly {
          readonly name: string;
          readonly health: string;
          readonly lastError?: string;
        }[];
      }[];
    };
    const rules = groups.flatMap((group) => group.rules);
    assert.equal(rules.length, readRules().length);
    for (const { name, health, lastError } of rules)
      assert.equal(health, 'ok', `${name}: ${lastError ?? ''}`);
  },
);

test('alerts go to those who can act on them', needs('amtool'), () => {
  const route = (...labels: readonly string[]): string =>
    execFileSync(
      programOf('amtool'),
      ['config', 'routes', 'test', `--config.file=${ALERTMANAGER_FILE}`, ...labels],
      {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    ).trim();
  for (const { alert, labels } of readAlerts()) {
    const expected = labels['severity'] === 'critical' ? 'on-call' : 'technicians';
    assert.equal(route(`alertname=${alert}`, `severity=${labels['severity'] ?? ''}`), expected);
  }
});

test('each alert says what is wrong and what to do, with a known severity', () => {
  for (const { alert, labels, annotations } of readAlerts()) {
    assert.match(alert, /^Penstock[A-Z]/);
    assert.ok(['critical', 'warning'].includes(labels['severity'] ?? ''), alert);
    assert.deepEqual(Object.keys(annotations), ['summary', 'action'], alert);
    assert.match(annotations['summary'] ?? '', /\{\{ \$labels\.instance \}\}/, `${alert} names the gateway`);
  }
});

test('no panel of the dashboard covers another one', () => {
  const cells = new Map<string, string>();
  for (const { title, gridPos } of readPanels()) {
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        assert.equal(cells.get(`${x} ${y}`), undefined, `${title} covers ${cells.get(`${x} ${y}`) ?? ''}`);
        cells.set(`${x} ${y}`, title);
      }
    }
    assert.ok(gridPos.x + gridPos.w <= 24, title);
  }
  const ids = readPanels().map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});
