// Made from the description of the REST interface by "npm run build:console-types".

export interface GenericFailureReport {
  message: string;
  /** The password is right; a code of the second factor is missing or wrong */
  secondFactorNeeded?: true;
  faults?: DocumentFault[];
}

export interface DocumentFault {
  path: string;
  message: string;
  row?: number;
  column?: string;
}

export interface AssetStatus {
  /** Of the asset */
  displayName?: string;
  /** Of the asset */
  description?: string;
  driver: DriverStatus;
  units: UnitStatus[];
  listening?: ListeningStatus;
  /** Channels whose newest read by any client gave no value, although their device is there */
  failingChannels?: FailingChannels;
}

export interface AuditChainBreak {
  firstId: number;
  time: number;
  fault: string;
}

export interface AuditChainGap {
  firstId: number;
  lastId: number;
  /** @pattern ^[0-9a-f]{64}$ */
  before: string;
  /** @pattern ^[0-9a-f]{64}$ */
  after: string;
}

export interface AuditChainPage {
  events: ChainedAuditEvent[];
  /** Removed events; on the last page, like the members below */
  gaps?: AuditChainGap[];
  /** Breaks that the gateway found: the chain begins anew with the event firstId; absent: none */
  breaks?: AuditChainBreak[];
  checkpoints?: AuditCheckpoint[];
  publicKey?: string;
}

export interface AuditCheckpoint {
  text: string;
  signature: string;
}

export interface AuditEvent {
  id: number;
  time: number;
  event: string;
  outcome: 'SUCCESS' | 'FAILURE';
  identity?: string;
  method?: string;
  address?: string;
  requestId?: string;
  target?: string;
  detail?: Partial<Record<string, string | number | boolean>>;
  /**
   * Links the event to the one before; absent: stored by an earlier release
   * @pattern ^[0-9a-f]{64}$
   */
  hash?: string;
}

export interface AuditPage {
  events: AuditEvent[];
  next?: number;
}

export interface AuthenticationInfo {
  passwordAuthenticationEnabled: boolean;
  certificateAuthenticationEnabled: boolean;
  certificateAuthenticationPorts?: number[];
  message?: string;
}

export interface AuthenticationResponse {
  passwordChangeNeeded: boolean;
  /** A second factor has to be set up before the password opens anything else; absent: it has not */
  secondFactorEnrolmentNeeded?: true;
  message?: string;
}

export interface BrowsePage {
  nodes: BrowsedNode[];
  /**
   * Position at which the next page begins; absent on the last one
   */
  next?: number;
}

export interface BrowsedNode {
  /** The node as an address names it; absent when none can */
  node?: string;
  browseName: string;
  displayName: string;
  nodeClass: string;
  reference: string;
  description?: string;
  /** Whether nodes below it may have values */
  isParent: boolean;
  variable?: BrowsedVariable;
}

export interface BrowsedVariable {
  dataType: string;
  /**
   * 0 for one value; absent when the device leaves it open
   * @min 0
   */
  dimensions?: number;
  /** Length of each dimension; 0 where it varies */
  arrayDimensions?: number[];
  isReadable: boolean;
  isWritable: boolean;
  unit?: string;
  range?: ValueRange;
  /** The channel that carries the value, but for its name */
  channel?: OfferedChannel;
  /** Why no channel can carry the value */
  refusal?: string;
}

export interface Bundle {
  package: string;
  name: string;
  version: string;
  state: 'INSTALLED' | 'RESOLVED' | 'STARTING' | 'ACTIVE' | 'STOPPING' | 'FAILED';
  permissions: string[];
  identities?: string;
  providers?: BundleProvider[];
  storage?: BundleStorage;
  cause?: string;
  restartAt?: number;
}

export interface BundleGrants {
  bundle: string;
  permissions: string[];
  identities?: string;
}

export interface BundleLine {
  /**
   * Milliseconds since the epoch
   */
  time: number;
  version: string;
  level: 'debug' | 'info' | 'warn' | 'error';
  /** Its logger, what its process prints, or the gateway that supervises it */
  source: 'LOGGER' | 'OUTPUT' | 'GATEWAY';
  /** One line; a character that cannot be seen is written as `\uXXXX` */
  message: string;
  fields?: Partial<Record<string, unknown>>;
}

export interface BundleLog {
  lines: BundleLine[];
}

export interface BundleProvider {
  priority: number;
  headers: string[];
  state: 'ANSWERING' | 'SUSPENDED';
  nextProbeAt?: number;
}

export interface BundleStorage {
  usedBytes: number;
  maximumBytes: number;
  entries: number;
  maximumEntries: number;
  isFull: boolean;
}

export interface CertificateList {
  certificates: KnownCertificate[];
  /**
   * Revocation lists in force; 0: revocation is not checked
   */
  revocationLists: number;
}

export interface CertificateProblem {
  status: string;
  message: string;
  /** A setting of the driver can remove it */
  isCurable: boolean;
}

export interface CertificateReport {
  operation: 'ISSUED' | 'REVOKED';
  /**
   * @maxItems 100
   * @minItems 1
   */
  certificates: IssuedCertificate[];
}

export interface ChainedAuditEvent {
  id: number;
  text: string;
  /** @pattern ^[0-9a-f]{64}$ */
  hash?: string;
}

export interface ChangePlan {
  snapshot: number;
  added: string[];
  changed: string[];
  removed: string[];
  restartedConnections: string[];
  /** What clients can no longer use */
  cutsOff: string[];
  /** Device templates that have changed; their assets change with this */
  changedTemplates?: string[];
  /** What is allowed and may be a mistake */
  warnings?: string[];
}

export interface ChannelRecord {
  name: string;
  type: 'READ' | 'WRITE' | 'READ_WRITE';
  valueType: 'BOOLEAN' | 'BYTE_ARRAY' | 'DOUBLE' | 'FLOAT' | 'INTEGER' | 'LONG' | 'STRING';
  scaleOffsetType: 'DEFINED_BY_VALUE_TYPE' | 'DOUBLE' | 'LONG';
  valueScale: number;
  valueOffset: number;
  unit?: string;
  displayName?: string;
  description?: string;
  isEnabled: boolean;
  write?: WriteTerms;
  /** What the device lets the gateway do with the value, by its own word; absent while it has told nothing */
  deviceAccess?: 'NONE' | 'READ' | 'WRITE' | 'READ_WRITE';
}

export interface ChannelStatus {
  channelFlag: 'SUCCESS' | 'FAILURE';
  exceptionMessage?: string;
}

/** In the form of the type that "type" or "valueType" names */
export type ChannelValue = string | number | boolean;

export interface ChannelWrite {
  name: string;
  type: 'BOOLEAN' | 'BYTE_ARRAY' | 'DOUBLE' | 'FLOAT' | 'INTEGER' | 'LONG' | 'STRING';
  /** In the form of the type that "type" or "valueType" names */
  value: ChannelValue;
  /** The value that the channel has to hold for the write to be sent */
  ifValue?: ChannelValue;
}

export interface ConnectionScan {
  /**
   * Options of the kind of driver
   * @default {}
   */
  options?: Partial<Record<string, unknown>>;
  /**
   * Seconds after which the scan ends with what was found until then
   * @min 1
   * @max 86400
   * @default 900
   */
  limitSeconds?: number;
}

export interface ConnectionTest {
  pid: string;
  endpoint: string;
  /** CONNECTED: the link stands, and there was nothing to ask for */
  outcome: 'ANSWERED' | 'CONNECTED' | 'FAILED';
  /**
   * @min 0
   */
  durationMs: number;
  /** What was asked for, for people */
  asked?: string;
  /** In the form of the type that "type" or "valueType" names */
  value?: ChannelValue;
  /** Why no value came */
  message?: string;
  /** What the device said instead of a value, else the code of the failure */
  statusCode?: string;
  /** Settings that the device needs, for people */
  advice?: string[];
}

export interface DecodeRequest {
  channel: string;
  expected?: number | string | boolean;
}

export interface Decoding {
  channelStatus: ChannelStatus;
  name: string;
  timestamp: number;
  /** What stands at the address, in hexadecimal digits */
  bytes?: string;
  /** @maxItems 200 */
  candidates?: DecodingCandidate[];
}

export interface DecodingCandidate {
  address: Partial<Record<string, unknown>>;
  valueScale: number;
  valueOffset: number;
  /** In the form of the type that "type" or "valueType" names */
  value: ChannelValue;
  isConfigured: boolean;
  alternatives: DecodingSetting[];
}

export interface DecodingSetting {
  address: Partial<Record<string, unknown>>;
  valueScale: number;
  valueOffset: number;
}

export interface DefinedPermissions {
  permissions: string[];
}

export interface DeviceCertificate {
  subject: string;
  issuer: string;
  /** Milliseconds since the epoch; absent when it cannot be read */
  validFromMs?: number;
  /** Milliseconds since the epoch; absent when it cannot be read */
  validUntilMs?: number;
  /** SHA-256 of the certificate, in hexadecimal digits */
  fingerprint: string;
  alternativeNames: string[];
}

export interface DeviceScan {
  /** Kind of driver */
  type: string;
  /** Settings of a driver, as far as they are known */
  settings: Partial<Record<string, unknown>>;
  /**
   * Options of the kind of driver
   * @default {}
   */
  options?: Partial<Record<string, unknown>>;
  /**
   * Seconds after which the scan ends with what was found until then
   * @min 1
   * @max 86400
   * @default 900
   */
  limitSeconds?: number;
}

export interface Drift {
  drift: DriftedPart[];
}

export interface DriftDifference {
  key: string;
  /** As the file has it; absent: not at all */
  file?: unknown;
  /** As it is in force; absent: not at all */
  inForce?: unknown;
}

export interface DriftedPart {
  /** As in plans of changes: drivers/line1, rest/allowedPorts, identities/scada */
  item: string;
  state: 'VANISHED' | 'CHANGED' | 'REMOVED' | 'TAKEN_OVER' | 'UNKNOWN';
  /** The file that named it last; null: unknown */
  source: string | null;
  /** The first 20 */
  differences: DriftDifference[];
  differenceCount: number;
}

export interface DriverInfo {
  pid: string;
  type: string;
  endpoint: string;
  state: 'DISCONNECTED' | 'CONNECTING' | 'CONNECTED' | 'BACKING_OFF';
  /**
   * Milliseconds since the epoch
   */
  since: number;
  /**
   * Since when there is no connection, through all attempts
   */
  lostSince?: number;
  lastError?: string;
  /**
   * Milliseconds since the epoch
   */
  lastErrorAt?: number;
  /**
   * Milliseconds since the epoch
   */
  nextAttemptAt?: number;
  /** What is allowed and may be a mistake in the configuration */
  warnings?: string[];
  counters: Partial<Record<string, number>>;
  /** Pids of the assets that it serves */
  assets: string[];
}

export interface DriverStatus {
  pid: string;
  type: string;
  endpoint: string;
  state: 'DISCONNECTED' | 'CONNECTING' | 'CONNECTED' | 'BACKING_OFF';
  /**
   * Milliseconds since the epoch
   */
  since: number;
  /**
   * Since when there is no connection, through all attempts
   */
  lostSince?: number;
  lastError?: string;
  /**
   * Milliseconds since the epoch
   */
  lastErrorAt?: number;
  /**
   * Milliseconds since the epoch
   */
  nextAttemptAt?: number;
  /** What is allowed and may be a mistake in the configuration */
  warnings?: string[];
  counters: Partial<Record<string, number>>;
}

export interface EndedSessions {
  ended: number;
}

export interface FailingChannel {
  name: string;
  /**
   * Milliseconds since the epoch
   */
  since: number;
  statusCode: string;
  message: string;
}

export interface FailingChannels {
  count: number;
  /**
   * First failure of the channel that has failed longest
   */
  since: number;
  /** At most three, in the order of the configuration */
  first: FailingChannel[];
}

export interface FoundConnection {
  pid?: string;
  type: string;
  settings?: Partial<Record<string, unknown>>;
  isRefusing?: boolean;
}

export interface GatewayCheck {
  check:
    | 'clock'
    | 'disk'
    | 'reload'
    | 'configuration'
    | 'certificate'
    | 'connection'
    | 'secret'
    | 'unit'
    | 'channel'
    | 'bundle'
    | 'auditLog'
    | 'audit';
  /** What was checked, where there are several */
  name?: string;
  /** The driver of a unit */
  driver?: string;
  /** UNKNOWN: nobody has asked yet */
  state: 'GOOD' | 'WARNING' | 'WRONG' | 'UNKNOWN';
  detail: string;
  /**
   * Milliseconds since the epoch
   */
  since?: number;
  /**
   * Milliseconds since the epoch at which a certificate expires
   */
  until?: number;
  /**
   * Milliseconds since the epoch
   */
  nextAttemptAt?: number;
  /**
   * How many channels of the asset fail
   */
  channels?: number;
  /**
   * Of the disk with the state
   */
  freeBytes?: number;
  totalBytes?: number;
  /**
   * Events of the audit that the place or the store has not yet taken
   */
  waitingEvents?: number;
  /**
   * Events of the audit that were lost since the start
   */
  lostEvents?: number;
  /**
   * The last event that it has taken; 0: none
   */
  lastEventId?: number;
  /**
   * Absent: it has taken nothing since the start
   */
  lastTakenAt?: number;
}

export interface GatewayStatus {
  checks: GatewayCheck[];
}

export interface Grant {
  /**
   * Patterns of pids of assets; * matches any run of characters
   * @maxItems 1000
   * @minItems 1
   */
  assets: string[];
  /**
   * Patterns of names of channels; absent: every channel
   * @maxItems 1000
   * @minItems 1
   */
  channels?: string[];
  /**
   * What the grant permits
   * @minItems 1
   */
  operations: ('READ' | 'WRITE')[];
  /** When the grant ends; absent: it does not end by itself */
  until?: string;
  /**
   * Why it was given, such as the number of a permit
   * @maxLength 255
   */
  reason?: string;
}

export interface Health {
  status: 'UP' | 'STARTING' | 'STOPPING';
}

export interface IdentityInfo {
  name: string;
  passwordChangeNeeded: boolean;
  permissions: string[];
  /**
   * Absent when the identity has none, and without details
   * @maxItems 10000
   */
  grants?: Grant[];
}

export interface InstallRequest {
  /** @minLength 1 */
  url: string;
}

export interface InstalledPackage {
  name: string;
  version: string;
  bundles: PackagedBundle[];
}

export interface IssuedCertificate {
  /**
   * Identity of a client, or names of a server
   * @minLength 1
   * @maxLength 255
   */
  name: string;
  purpose: 'authority' | 'client' | 'server';
  /** @pattern ^[0-9a-f]{1,40}$ */
  serialNumber: string;
  /**
   * Milliseconds since the epoch
   * @min 0
   */
  expiresAtMs: number;
}

export interface KeptScan {
  id: string;
  /** Kind of driver */
  type: string;
  /** Pid of the driver that has the connection, else where the device is */
  target: string;
  state: 'RUNNING' | 'ENDED' | 'FAILED';
  /**
   * Milliseconds since the epoch
   */
  startedAt: number;
  /**
   * Milliseconds since the epoch
   */
  endedAt?: number;
  /**
   * Steps that are done
   */
  done?: number;
  /**
   * Absent where nobody knows how many there will be
   */
  total?: number;
  /** What is being asked */
  text?: string;
  /**
   * Estimate for the present stretch of the scan
   */
  secondsLeft?: number;
  /**
   * How much was found until now
   */
  found: number;
}

export interface KeptScans {
  scans: KeptScan[];
}

export interface KeyRotation {
  service: string;
  /** The id of the key that signs from now on */
  kid: string;
}

export interface KeyRotationRequest {
  /**
   * The issuing service; absent: the one that issues now
   * @minLength 1
   */
  service?: string;
  /**
   * Tokens of the previous key end at once, instead of when they expire
   * @default false
   */
  revoke?: boolean;
}

export interface KnownCertificate {
  role: 'SERVER' | 'CLIENT_AUTHORITY';
  subject: string;
  /** SHA-256 of the certificate, in hexadecimal digits */
  fingerprint: string;
  /**
   * Milliseconds since the epoch
   */
  validFrom: number;
  /**
   * Milliseconds since the epoch
   */
  validUntil: number;
  /** Why client certificates of the authority are refused; absent when they are not */
  refusal?: string;
}

export interface ListedAssetStatus {
  /** Of the asset */
  displayName?: string;
  /** Of the asset */
  description?: string;
  driver: DriverStatus;
  units: UnitStatus[];
  listening?: ListeningStatus;
  /** Channels whose newest read by any client gave no value, although their device is there */
  failingChannels?: FailingChannels;
  /** Its pid */
  asset: string;
  /**
   * Number of its channels that the caller may use
   */
  channels: number;
}

export interface ListeningStatus {
  mode: 'POLL' | 'SUBSCRIBE';
  isActive: boolean;
  listeners: number;
  channels: number;
  intervalMs?: number;
}

export interface OfferedChannel {
  type: 'READ' | 'WRITE' | 'READ_WRITE';
  valueType: 'BOOLEAN' | 'BYTE_ARRAY' | 'DOUBLE' | 'FLOAT' | 'INTEGER' | 'LONG' | 'STRING';
  unit?: string;
  address: Partial<Record<string, unknown>>;
}

export interface OpenSession {
  /** Names the session for its end; the cookie is something else */
  id: string;
  identity: string;
  method: 'password' | 'certificate';
  /** From which the login came; `local` for the socket on the machine itself */
  address: string;
  /**
   * To which the login came; absent for that socket
   */
  port?: number;
  /**
   * Milliseconds since the epoch
   */
  createdAt: number;
  /**
   * Milliseconds since the epoch
   */
  lastUsedAt: number;
  /**
   * When it ends unless it is used again, in milliseconds since the epoch
   */
  expiresAt: number;
  /** It can only be used to do first what its identity has to, such as changing the password */
  isLocked: boolean;
  /** It is that of the request */
  isCurrent: boolean;
}

export interface OpenSessions {
  sessions: OpenSession[];
}

export interface OwnSession {
  /** A second factor has to be set up before the password opens anything else; absent: it has not */
  secondFactorEnrolmentNeeded?: true;
  /**
   * Seconds until the session ends unless it is used; absent without one
   */
  sessionSecondsLeft?: number;
}

export interface PackageDescriptor {
  nodeId: string;
  url: string;
  dpUrl: string;
  minServiceVersion: string;
  maxServiceVersion: string;
  currentServiceVersion: string;
  isCompatible: boolean;
}

export interface PackageDescriptorRequest {
  /** @minLength 1 */
  url: string;
}

export interface PackageOperation {
  id: string;
  operation: 'INSTALL' | 'UNINSTALL';
  url?: string;
  name?: string;
  version?: string;
  grants?: BundleGrants[];
  state: 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'FAILED';
  phase: 'WAITING' | 'RECEIVING' | 'CHECKING' | 'STAGING' | 'SWITCHING' | 'STARTING' | 'FINISHED';
  percent: number;
  errorCode?: number;
  message?: string;
  startedAt?: number;
  finishedAt?: number;
}

export interface PackagedBundle {
  name: string;
  version: string;
  state: 'INSTALLED' | 'RESOLVED' | 'STARTING' | 'ACTIVE' | 'STOPPING' | 'FAILED';
}

export interface PasswordAndSecondFactorCode {
  currentPassword: string;
  /**
   * As in a login: a recovery code is accepted too
   * @maxLength 64
   */
  secondFactorCode?: string;
}

export interface PasswordChangeRequest {
  /** @default "" */
  currentPassword?: string;
  /** @default "" */
  newPassword?: string;
}

export interface PasswordProof {
  currentPassword: string;
}

export interface PasswordRequirements {
  passwordMinimumLength: number;
  passwordRequireDigits: boolean;
  passwordRequireSpecialChars: boolean;
  passwordRequireBothCases: boolean;
}

export interface PendingChange {
  snapshot: number;
  /**
   * Number of the snapshot that comes back; 0: the empty document
   */
  revertTo: number;
  /** The identity that made the change */
  author?: string;
  /**
   * Seconds until the change is taken back
   */
  secondsLeft: number;
  /**
   * The same as milliseconds since the epoch
   */
  revertAt: number;
}

export interface PendingConfirmation {
  /** Absent: no change waits */
  pending?: PendingChange;
}

export interface PlannedRequest {
  name: string;
  channels: string[];
  /**
   * @min 0
   */
  requestBytes: number;
  /**
   * @min 0
   */
  answerBytes: number;
  /** @min 0 */
  wireMs?: number;
  /** @min 0 */
  measuredMs?: number;
  /** Why the next read does not send it; absent when it does */
  notSent?: string;
}

export interface PresentedCertificate {
  subject: string;
  issuer: string;
  /** Milliseconds since the epoch; absent when it cannot be read */
  validFromMs?: number;
  /** Milliseconds since the epoch; absent when it cannot be read */
  validUntilMs?: number;
  /** SHA-256 of the certificate, in hexadecimal digits */
  fingerprint: string;
  alternativeNames: string[];
  /** The certificates above it, as the device presents them */
  issuers: DeviceCertificate[];
  /** By itself, or because an authority above it is trusted; absent when it is not trusted */
  trustedAs?: 'CERTIFICATE' | 'AUTHORITY';
  /** Whether the driver checks it */
  isNeeded: boolean;
  /** What is wrong with it, beside that it may not be trusted */
  problems: CertificateProblem[];
}

export interface ProposedAsset {
  pid: string;
  displayName?: string;
  template?: string;
  parameters?: Partial<Record<string, unknown>>;
  channels?: Partial<Record<string, unknown>>[];
}

export interface ReadCost {
  /**
   * @min 0
   */
  requests: number;
  /**
   * @min 0
   */
  requestBytes: number;
  /**
   * @min 0
   */
  answerBytes: number;
  /** @min 0 */
  wireMs?: number;
  /** @min 0 */
  measuredMs?: number;
}

export interface ReadPlan {
  /** Whether the driver plans its requests ahead; when not, the list is empty */
  isPlanned: boolean;
  requests: PlannedRequest[];
  total: ReadCost;
  notRead: UnreadChannel[];
}

export interface ReadRequest {
  /** @maxItems 10000 */
  channels: string[];
}

export interface RecoveryCodes {
  /** Each works once; shown once */
  recoveryCodes: string[];
}

export interface RequestLimit {
  /** What is requested, for example HOLDING_REGISTERS */
  kind: string;
  /**
   * Most of them in one request that the device answered
   */
  maximumQuantity: number;
}

export interface ResultRecord {
  channelStatus: ChannelStatus;
  name: string;
  valueType?: 'BOOLEAN' | 'BYTE_ARRAY' | 'DOUBLE' | 'FLOAT' | 'INTEGER' | 'LONG' | 'STRING';
  /** In the form of the type that "type" or "valueType" names */
  value?: ChannelValue;
  timestamp: number;
  unit?: string;
  /** Of the value that was read; absent after a write */
  quality?: 'GOOD' | 'UNCERTAIN' | 'BAD';
  /** Status that the device gave, else the code of the failure; absent when there is neither */
  statusCode?: string;
}

export interface ScanFault {
  code: string;
  message: string;
}

export interface ScanFinding {
  subject: string;
  kind: string;
  text: string;
  fields: Partial<Record<string, unknown>>;
}

export interface ScanResult {
  isComplete: boolean;
  connection?: FoundConnection;
  assets: ProposedAsset[];
  notes: string[];
}

export interface SecondFactorCode {
  /**
   * Six digits of the authenticator app; white space is ignored
   * @maxLength 64
   */
  secondFactorCode: string;
}

export interface SecondFactorSecret {
  /** Base32, to be typed into an authenticator app; shown once */
  secret: string;
  /** The same as otpauth URI, to be shown as a QR code */
  uri: string;
}

export interface SecondFactorStatus {
  /** The password is accepted with a code only */
  secondFactorEnabled: boolean;
  /** The password opens nothing before a second factor is set up */
  secondFactorRequired: boolean;
  recoveryCodesLeft: number;
}

export interface ShownScan {
  id: string;
  /** Kind of driver */
  type: string;
  /** Pid of the driver that has the connection, else where the device is */
  target: string;
  state: 'RUNNING' | 'ENDED' | 'FAILED';
  /**
   * Milliseconds since the epoch
   */
  startedAt: number;
  /**
   * Milliseconds since the epoch
   */
  endedAt?: number;
  /**
   * Steps that are done
   */
  done?: number;
  /**
   * Absent where nobody knows how many there will be
   */
  total?: number;
  /** What is being asked */
  text?: string;
  /**
   * Estimate for the present stretch of the scan
   */
  secondsLeft?: number;
  /**
   * How much was found until now
   */
  found: number;
  /** As they were given, without secrets */
  settings: Partial<Record<string, unknown>>;
  findings: ScanFinding[];
  result?: ScanResult;
  failure?: ScanFault;
}

export interface SilentAddress {
  address: string;
  operation: 'READ' | 'WRITE';
  /**
   * Milliseconds since the epoch
   */
  since: number;
  /**
   * Milliseconds since the epoch
   */
  nextAttemptAt: number;
}

export interface Snapshot {
  id: number;
  createdAt: number;
  /** The identity that made it; absent: a provision file, or a change that was taken back */
  author?: string;
  document: Partial<Record<string, unknown>>;
}

export interface SnapshotHead {
  id: number;
  createdAt: number;
  /** The identity that made it; absent: a provision file, or a change that was taken back */
  author?: string;
}

export interface SnapshotList {
  snapshots: SnapshotHead[];
}

export interface TakenBack {
  snapshot: number;
}

export interface Template {
  name: string;
  title: string;
  manufacturer: string;
  model: string;
  /** Document and revision that the addresses are from */
  source: string;
  /** Kind of driver that serves the channels */
  driver: string;
  /** Settings that the driver needs for the device */
  driverSettings?: Partial<Record<string, string | number | boolean>>;
  /** What scans recognize, such as SunSpec model 113 */
  describes?: string;
  parameters: Partial<Record<string, TemplateParameter>>;
  /** Channels with the default parameters; one without default has its minimum */
  channels: Partial<Record<string, unknown>>[];
  /** Why there are no channels */
  faults?: string[];
}

export interface TemplateHead {
  name: string;
  title: string;
  manufacturer: string;
  model: string;
  /** Document and revision that the addresses are from */
  source: string;
  /** Kind of driver that serves the channels */
  driver: string;
  /** Settings that the driver needs for the device */
  driverSettings?: Partial<Record<string, string | number | boolean>>;
  /** What scans recognize, such as SunSpec model 113 */
  describes?: string;
  parameters: Partial<Record<string, TemplateParameter>>;
}

export interface TemplateList {
  templates: TemplateHead[];
  /** Files that give no template */
  unusable: UnusableTemplate[];
}

export interface TemplateParameter {
  type: 'integer' | 'number' | 'string' | 'boolean';
  default?: string | number | boolean;
  minimum?: number;
  maximum?: number;
  description: string;
}

export interface TokenPair {
  tokenType: 'Bearer';
  accessToken: string;
  accessTokenExpiresInSeconds: number;
  refreshToken: string;
  refreshTokenExpiresInSeconds: number;
}

export interface TokenRevocation {
  /** @minLength 1 */
  userName: string;
}

export interface TrustRequest {
  /**
   * SHA-256 of the certificate that is to be trusted
   * @pattern ^[\dA-Fa-f]{2}(?::?[\dA-Fa-f]{2}){31}$
   */
  fingerprint: string;
}

export interface UnitStatus {
  name: string;
  state: 'UNKNOWN' | 'ANSWERING' | 'SUSPENDED';
  /** A channel of the asset lies there; otherwise it is another device of the line */
  isUsed: boolean;
  lastError?: string;
  /**
   * Milliseconds since the epoch
   */
  lastErrorAt?: number;
  /**
   * Of a suspended unit: the first of its silences
   */
  silentSince?: number;
  /**
   * Milliseconds since the epoch
   */
  nextProbeAt?: number;
  silentAddresses?: SilentAddress[];
  /** The requests that had to become shorter for the device */
  requestLimits?: RequestLimit[];
  counters: Partial<Record<string, number>>;
}

export interface UnreadChannel {
  name: string;
  reason: string;
}

export interface UnusableTemplate {
  file: string;
  faults: string[];
}

export interface UserConfig {
  userName: string;
  passwordAuthEnabled: boolean;
  passwordChangeNeeded: boolean;
  /** The password is accepted with a code only; absent without details */
  secondFactorEnabled?: boolean;
  /** The password opens nothing before a second factor is set up; absent without details */
  secondFactorRequired?: boolean;
  permissions: string[];
  /**
   * Absent without details
   * @maxItems 10000
   */
  grants?: Grant[];
}

export interface UserConfigList {
  userConfig: UserConfig[];
}

export interface UserConfigRequest {
  userName: string;
  password?: string;
  passwordAuthEnabled?: boolean;
  passwordChangeNeeded?: boolean;
  /** False removes the second factor */
  secondFactorEnabled?: boolean;
  secondFactorRequired?: boolean;
  /** @maxItems 256 */
  permissions?: string[];
  /** @maxItems 10000 */
  grants?: Grant[];
}

export interface UserName {
  userName: string;
  [key: string]: unknown;
}

export interface UsernamePassword {
  username: string;
  password: string;
  /**
   * Six digits of the authenticator app, or a recovery code; ignored without a second factor
   * @maxLength 64
   */
  secondFactorCode?: string;
}

export interface ValueRange {
  low: number;
  high: number;
}

export interface WriteCondition {
  /** Pid of the asset of the condition; that of the channel when absent */
  asset?: string;
  /** Name of the channel whose value decides */
  channel: string;
  /**
   * How its value is compared with "value"
   * @default "EQUALS"
   */
  operator:
    | 'EQUALS'
    | 'NOT_EQUALS'
    | 'LESS_THAN'
    | 'LESS_THAN_OR_EQUAL'
    | 'GREATER_THAN'
    | 'GREATER_THAN_OR_EQUAL';
  /** What its value is compared with */
  value: number | boolean | string;
  /**
   * Most milliseconds between the time of the value and the write; any when absent
   * @min 1
   * @max 86400000
   */
  maximumAgeMs?: number;
}

export interface WriteRequest {
  /** @maxItems 1000 */
  channels: ChannelWrite[];
}

export interface WriteResultRecord {
  channelStatus: ChannelStatus;
  name: string;
  valueType?: 'BOOLEAN' | 'BYTE_ARRAY' | 'DOUBLE' | 'FLOAT' | 'INTEGER' | 'LONG' | 'STRING';
  /** In the form of the type that "type" or "valueType" names */
  value?: ChannelValue;
  timestamp: number;
  unit?: string;
  /** Of the value that was read; absent after a write */
  quality?: 'GOOD' | 'UNCERTAIN' | 'BAD';
  /** Status that the device gave, else the code of the failure; absent when there is neither */
  statusCode?: string;
  /** What became of the write; absent of a trial in which it would be sent */
  outcome?: 'VERIFIED' | 'ACKNOWLEDGED' | 'REFUSED' | 'NOT_SENT' | 'UNKNOWN';
  /** The value of the request, where "value", the one that is sent, is another one */
  requestedValue?: ChannelValue;
  /** The value that the channel holds after the write, where it was read back */
  readBack?: ChannelValue;
  /** Nothing was sent: the record tells what would happen */
  dryRun?: true;
}

export interface WriteTerms {
  /** Smallest value that is sent, in the unit of the channel */
  minimum?: number;
  /** Largest value that is sent, in the unit of the channel */
  maximum?: number;
  /**
   * Largest difference between the value that the device holds and the one that is sent
   * @exclusiveMin 0
   */
  maximumStep?: number;
  /**
   * Largest change for each second since the last write, whichever client made it
   * @exclusiveMin 0
   */
  maximumChangePerSecond?: number;
  /** Reads the value back; without it the device is believed */
  verify?: WriteVerification;
  /** Conditions that have to hold when the value is sent, all of them */
  onlyIf?: WriteCondition[];
  /**
   * Conditions on channels that the caller may not read, which are not shown
   */
  hiddenConditions?: number;
}

export interface WriteVerification {
  /**
   * Largest difference at which the value that is read back counts as the one written
   * @min 0
   * @default 0
   */
  tolerance: number;
  /**
   * Milliseconds in which the device has to show the value; it is read at least once
   * @min 0
   * @max 10000
   * @default 1000
   */
  withinMs: number;
}

export interface XSRFToken {
  xsrfToken: string;
}
