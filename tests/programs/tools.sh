. support/lib.sh
programs tools
