/*
 * packets.c - packets to a closed port on loopback: each is a softirq of the sender's.
 *
 *   packets COUNT
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define DISCARD_PORT 9

int main(int argc, char **argv)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(DISCARD_PORT),
				  .sin_addr = { .s_addr = htonl(INADDR_LOOPBACK) } };
	long count = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (count <= 0 || fd < 0) {
		fprintf(stderr, "usage: packets COUNT\n");
		return EXIT_FAILURE;
	}
	/* Not connected: the refusals of those before are not reported. */
	for (long i = 0; i < count; i++)
		(void)!sendto(fd, "packet", 6, 0, (const struct sockaddr *)&to,
			      sizeof(to));
	close(fd);
	return EXIT_SUCCESS;
}
