. support/lib.sh
programs databases
