import type { Scenario } from './scenario.ts';
import { addedLatency } from './scenarios/added-latency.ts';
import { authentication } from './scenarios/authentication.ts';
import { bundles } from './scenarios/bundles.ts';
import { consoleEditor } from './scenarios/console-editor.ts';
import { consoleLoad } from './scenarios/console-load.ts';
import { consoleSlowLink } from './scenarios/console-slow-link.ts';
import { consoleStreams } from './scenarios/console-streams.ts';
import { consoleTable } from './scenarios/console-table.ts';
import { deadDevice } from './scenarios/dead-device.ts';
import { deadUnit } from './scenarios/dead-unit.ts';
import { deviceTransactions } from './scenarios/device-transactions.ts';
import { firstRead } from './scenarios/first-read.ts';
import { firstTokens } from './scenarios/first-tokens.ts';
import { footprint } from './scenarios/footprint.ts';
import { grants } from './scenarios/grants.ts';
import { hoardingClients } from './scenarios/hoarding-clients.ts';
import { handshakes } from './scenarios/handshakes.ts';
import { largeAnswers } from './scenarios/large-answers.ts';
import { linkLoss } from './scenarios/link-loss.ts';
import { longestPause } from './scenarios/longest-pause.ts';
import { manyDevices } from './scenarios/many-devices.ts';
import { northbound } from './scenarios/northbound.ts';
import { sparkplug } from './scenarios/sparkplug.ts';
import { opcuaReads } from './scenarios/opcua-reads.ts';
import { packageInstall } from './scenarios/package-install.ts';
import { packageList } from './scenarios/package-list.ts';
import { passwordLogins } from './scenarios/password-logins.ts';
import { recordedHistory } from './scenarios/recorded-history.ts';
import { recordingCost } from './scenarios/recording-cost.ts';
import { scaledReads } from './scenarios/scaled-reads.ts';
import { serialLine } from './scenarios/serial-line.ts';
import { sharedReads } from './scenarios/shared-reads.ts';
import { sharing } from './scenarios/sharing.ts';
import { auditChain } from './scenarios/audit-chain.ts';
import { tagRate } from './scenarios/tag-rate.ts';
import { verifiedWrites } from './scenarios/verified-writes.ts';
import { tokenRefreshes } from './scenarios/token-refreshes.ts';

/** Every benchmark, in the order in which they run. */
export const scenarios: readonly Scenario[] = [
  sharedReads,
  addedLatency,
  deviceTransactions,
  sharing,
  deadDevice,
  deadUnit,
  linkLoss,
  tagRate,
  manyDevices,
  longestPause,
  verifiedWrites,
  opcuaReads,
  serialLine,
  authentication,
  firstTokens,
  grants,
  scaledReads,
  tokenRefreshes,
  passwordLogins,
  handshakes,
  hoardingClients,
  packageInstall,
  packageList,
  bundles,
  footprint,
  largeAnswers,
  auditChain,
  recordedHistory,
  recordingCost,
  northbound,
  sparkplug,
  consoleLoad,
  consoleSlowLink,
  consoleTable,
  consoleEditor,
  consoleStreams,
  firstRead,
];
