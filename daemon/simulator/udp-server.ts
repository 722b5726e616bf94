import { createSocket } from 'node:dgram';

import { decodeDatagram, encodeFrame } from '../../drivers/modbus/pdu/mbap.ts';
import type { ModbusServer, ModbusServerOptions } from './modbus-server.ts';
import { answerRequest } from './rtu-server.ts';

/**
 * Serves the memory of a simulated plant over Modbus TCP frames in UDP datagrams, to every client that can reach it.
 *
 * A datagram that is not exactly one frame gets no response. Function codes as in `answerRequest`.
 *
 * @throws the error of the socket when the port cannot be opened
 */
export async function startUdpServer({ host, port, memory }: ModbusServerOptions): Promise<ModbusServer> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  socket.on('message', (bytes, { address, port: clientPort }) => {
    const frame = decodeDatagram(bytes);
    // A forged datagram may come from port 0, which no datagram can be sent to.
    if (frame === undefined || clientPort === 0) return;
    const { transactionId, unitId, pdu } = frame;
    const response = encodeFrame(transactionId, unitId, answerRequest(memory, unitId, pdu));
    // A client that cannot be reached gets no response.
    socket.send(response, clientPort, address, () => undefined);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(port, host, () => {
      socket.off('error', reject);
      // Without a listener the event would end the process.
      socket.on('error', () => undefined);
      resolve();
    });
  });
  return {
    port: socket.address().port,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
