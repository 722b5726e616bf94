interface KnownComponent {
  /** Compared with the factory, or with the pid of a component without one. */
  readonly pattern: RegExp;
  readonly reason: string;
}

// Names of components as snapshots of Kura 5 have them; the first that fits counts.
const KNOWN: readonly KnownComponent[] = [
  {
    pattern: /\.useradmin\./,
    reason: 'has identities and password rules: create identities with penstock identity create',
  },
  { pattern: /keystore|\.SslManager/i, reason: 'has keys and certificates: here they are PEM files' },
  {
    pattern: /\.http\.server\.|\.rest\.provider\./,
    reason: 'has ports and authentication: see the sections http and rest of the configuration',
  },
  {
    pattern: /\.cloud|\.transport\.mqtt\.|\.data\.DataService|Publisher|Subscriber/,
    reason: 'sends to a cloud: configure the MQTT or Sparkplug package',
  },
  {
    pattern: /\.net\.|firewall|\.linux\.net/i,
    reason: 'configures the network: Debian does that, for example with nmcli',
  },
  { pattern: /\.clock\./, reason: 'sets the clock: Debian does that with timedatectl set-ntp true' },
  { pattern: /\.watchdog\./, reason: 'feeds a watchdog: systemd does that' },
  { pattern: /\.db\.|RecordStore|RecordQuery/, reason: 'stores records: configure a recorder' },
  {
    pattern: /\.wire\.|\.script\.|WireGraph/,
    reason: 'belongs to Kura Wires: see recorders, events and bundles',
  },
  { pattern: /\.position\./, reason: 'has a position: read its receiver as a serial device' },
  { pattern: /\.log\./, reason: 'writes logs: see journalctl -u penstock' },
  { pattern: /\.container\./, reason: 'runs containers, which the gateway does not' },
];

/** Returns why a component that is neither a driver nor an asset is not imported, and what to do about it. */
export function describeKuraComponent(pid: string, factory: string): string {
  const name = factory === '' ? pid : factory;
  const known = KNOWN.find(({ pattern }) => pattern.test(name));
  return known?.reason ?? 'is neither a driver nor an asset';
}
