"""What is to be fetched, of whom and when: the hosts, their queues and every URL ever discovered."""
