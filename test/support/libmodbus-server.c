/*
 * A Modbus server on libmodbus for tests: over TCP, or in RTU mode when it is started with `rtu DEVICE BAUDRATE`, where
 * it is unit 1; a fourth word `paced` extends each exchange to the time of its characters on such a line.
 * Prints its port as the first line, 0 in RTU mode. Every table has 65,536 entries:
 * registers hold their offset, bits are set where the offset is odd; holding registers 60000..60009 do not exist.
 * Each line on standard input is answered by the number of requests served since the line before; the end of the input
 * ends the process.
 */
#include <errno.h>
#include <modbus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <unistd.h>

#define ENTRIES 65536
#define HOLE_BEGIN 60000
#define HOLE_END 60010

static int reads_hole(const uint8_t *query, int header)
{
	int function = query[header];
	int offset = (query[header + 1] << 8) | query[header + 2];
	int quantity = (query[header + 3] << 8) | query[header + 4];
	if (function == MODBUS_FC_WRITE_SINGLE_REGISTER)
		quantity = 1;
	else if (function != MODBUS_FC_READ_HOLDING_REGISTERS && function != MODBUS_FC_WRITE_MULTIPLE_REGISTERS)
		return 0;
	return offset < HOLE_END && offset + quantity > HOLE_BEGIN;
}

static modbus_t *open_line(const char *device, int baud_rate)
{
	modbus_t *context = modbus_new_rtu(device, baud_rate, 'N', 8, 2);

	if (context == NULL || modbus_set_slave(context, 1) != 0 || modbus_connect(context) != 0)
		return NULL;
	return context;
}

/* Waits as long as a request and the answer to it are on a line, with the silence between them. */
static void pace(const uint8_t *query, int length, int baud_rate)
{
	int is_read = query[1] <= MODBUS_FC_READ_INPUT_REGISTERS;
	int quantity = (query[4] << 8) | query[5];
	int payload = query[1] <= MODBUS_FC_READ_DISCRETE_INPUTS ? (quantity + 7) / 8 : 2 * quantity;
	int answer = is_read ? 5 + payload : 8;
	double silence_us = baud_rate > 19200 ? 1750.0 : 3.5 * 11e6 / baud_rate;

	usleep((useconds_t)((length + answer) * 11e6 / baud_rate + silence_us));
}

int main(int argc, char **argv)
{
	uint8_t query[MODBUS_TCP_MAX_ADU_LENGTH];
	int is_line = argc > 3 && strcmp(argv[1], "rtu") == 0;
	int is_paced = argc > 4;
	modbus_t *context = is_line ? open_line(argv[2], atoi(argv[3])) : modbus_new_tcp("127.0.0.1", 0);
	modbus_mapping_t *mapping = modbus_mapping_new(ENTRIES, ENTRIES, ENTRIES, ENTRIES);
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t address_length = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	int reuse = 1;
	fd_set open_files;
	long served = 0;

	if (context == NULL || mapping == NULL || listener < 0)
		return 1;
	/* A server that was restarted finds connections of its port that have not ended yet. */
	if (argc > 1 && !is_line)
		address.sin_port = htons(atoi(argv[1]));
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
	if (bind(listener, (struct sockaddr *)&address, address_length) != 0 || listen(listener, 16) != 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &address_length) != 0)
		return 1;
	for (int offset = 0; offset < ENTRIES; offset++) {
		mapping->tab_registers[offset] = offset;
		mapping->tab_input_registers[offset] = offset;
		mapping->tab_bits[offset] = offset & 1;
		mapping->tab_input_bits[offset] = offset & 1;
	}
	printf("%d\n", is_line ? 0 : ntohs(address.sin_port));
	fflush(stdout);

	FD_ZERO(&open_files);
	FD_SET(STDIN_FILENO, &open_files);
	FD_SET(is_line ? modbus_get_socket(context) : listener, &open_files);
	for (;;) {
		fd_set ready = open_files;
		if (select(FD_SETSIZE, &ready, NULL, NULL, NULL) < 0)
			return errno == EINTR ? 0 : 1;
		for (int file = 0; file < FD_SETSIZE; file++) {
			if (!FD_ISSET(file, &ready))
				continue;
			if (file == STDIN_FILENO) {
				char line[64];
				if (read(STDIN_FILENO, line, sizeof line) <= 0)
					return 0;
				printf("%ld\n", served);
				fflush(stdout);
				served = 0;
			} else if (file == listener) {
				int client = accept(listener, NULL, NULL);
				if (client >= 0)
					FD_SET(client, &open_files);
			} else {
				modbus_set_socket(context, file);
				int length = modbus_receive(context, query);
				int header = modbus_get_header_length(context);
				if (length < 0 && is_line) {
					modbus_flush(context);
				} else if (length < 0) {
					close(file);
					FD_CLR(file, &open_files);
				} else if (length > 0) {
					served++;
					if (is_paced)
						pace(query, length, atoi(argv[3]));
					if (reads_hole(query, header))
						modbus_reply_exception(context, query, MODBUS_EXCEPTION_ILLEGAL_DATA_ADDRESS);
					else
						modbus_reply(context, query, length, mapping);
				}
			}
		}
	}
}
