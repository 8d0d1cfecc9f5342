. support/lib.sh
programs web
