. support/lib.sh
programs server
