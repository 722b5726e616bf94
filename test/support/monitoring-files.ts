import { readFileSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'yaml';

const FOLDER = path.resolve(import.meta.dirname, '../../packaging/monitoring');

/** File with the rules for Prometheus. */
export const RULES_FILE = path.join(FOLDER, 'penstock.rules.yml');
/** File with the example configuration of Prometheus. */
export const PROMETHEUS_FILE = path.join(FOLDER, 'prometheus.yml');
/** File with the example configuration of Alertmanager. */
export const ALERTMANAGER_FILE = path.join(FOLDER, 'alertmanager.yml');
/** File with the dashboard for Grafana. */
export const DASHBOARD_FILE = path.join(FOLDER, 'penstock-dashboard.json');

/** An alert as its file has it. */
export interface Alert {
  readonly alert: string;
  readonly expr: string;
  /** Time for which the condition must hold; undefined: none. */
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

/** Reads the names of the groups of rules. */
export function readGroupNames(): readonly string[] {
  return readGroups().map(({ name }) => name);
}

/** Reads all rules in the order of the file. */
export function readRules(): readonly (Alert | RecordingRule)[] {
  return readGroups().flatMap(({ rules }) => rules);
}

function readGroups(): readonly {
  readonly name: string;
  readonly rules: readonly (Alert | RecordingRule)[];
}[] {
  return (parse(readFileSync(RULES_FILE, 'utf8')) as { readonly groups: ReturnType<typeof readGroups> })
    .groups;
}

/** Reads the alerts in the order of the file. */
export function readAlerts(): readonly Alert[] {
  return readRules().filter((rule) => 'alert' in rule);
}

/** A panel of the dashboard. */
export interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

/** Reads the panels of the dashboard. */
export function readPanels(): readonly Panel[] {
  return (JSON.parse(readFileSync(DASHBOARD_FILE, 'utf8')) as { readonly panels: readonly Panel[] }).panels;
}
